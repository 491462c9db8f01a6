// What is said about the labels: the evidence in large, what is expected in small.

import { about, atMost, count, many, percent } from "./dom.js";

const sure = (figures) => `${Math.round(100 * (1 - figures.delta))}% sure, whatever the data`;

// The largest words on the page: what was checked, and nothing that was not.
export function headline(now) {
  const known = now.figures;
  if (known?.basis === "prior") return "Nothing checked at random";
  if (known?.checks > 0) {
    return `Checked at random: ${outcome(known)}, so at most ${atMost(known.error_bound, now.tolerance)}`;
  }
  if (now.finished && known) return `At most ${atMost(known.error_bound, now.tolerance)} can be wrong: all else was answered`;
  return now.failed ? "Not checked again yet" : "Nothing checked yet";
}

// A skipped check counts as wrong, but nobody found that it is.
const outcome = (known) => `${count(known.wrong_found)} of ${count(known.checks)} ${known.skipped_checks > 0 ? "wrong or skipped" : "wrong"}`;

export function note(now) {
  const known = now.figures;
  if (known?.basis === "prior") {
    return "This session was begun before labels were checked: all it has is an estimate. Export the labels and run aluma check on the file: that tells how many are wrong, whatever the data.";
  }
  if (known?.checks > 0) return `of the ${count(now.size)} labels (${sure(known)}).${putRight(known)}`;
  if (now.failed) return `How many of the labels are wrong now is not known before they are checked again.${earlier(now.failed)}`;
  if (now.finished) return "";
  return "How many labels are wrong is not known before some are checked at random.";
}

function earlier(failed) {
  if (failed.checks === 0) return "";
  if (failed.skipped > 0) return ` Of the ${count(failed.checks)} labels of the last check, ${came(failed.wrong, failed.skipped)}.`;
  return ` The last check found ${count(failed.wrong)} of ${count(failed.checks)} wrong; they were put right.`;
}

function putRight(known) {
  return known.wrong_found > 0 ? ` ${capital(came(known.wrong_found, known.skipped_checks))}.` : "";
}

// How checks came out, as promises/audit_words.py has it: what was found wrong has been put right,
// what was skipped has not.
function came(wrong, skipped) {
  const found = wrong - skipped;
  const right = found > 0 ? `${count(found)} found wrong and put right` : "none found wrong";
  return skipped > 0 ? `${right}, ${count(skipped)} skipped and counted as wrong` : right;
}

const capital = (text) => text[0].toUpperCase() + text.slice(1);

// How far it is to the goal.
export function outlook(now) {
  const goal = percent(now.tolerance), known = now.figures;
  if (known?.basis === "prior") return "";
  if (now.every) return `For a goal of ${goal}, every one of the ${count(now.size)} must be answered.`;
  if (now.exhausted) return "";
  if (now.phase === "finished") return `The goal of ${goal} is reached.`;
  if (now.out_of_reach) return `The goal of ${goal} is out of reach with these features.`;
  if (now.phase !== "checking" || known === null) return `The goal is ${goal}. ${beforeChecks(now)}`;
  if (known.remaining_at_rate === null) return `At this rate, checks do not come to the goal of ${goal}.`;
  const checks = `About ${many(known.remaining_at_rate, known.checks ? "more check" : "check")} to the goal of ${goal}`;
  return known.wrong_found > 0 ? `${checks} at this rate, ${count(known.remaining)} if all are right.` : `${checks}, if all are right.`;
}

function beforeChecks(now) {
  if (now.checks_by === null) return "Checks at random are to come.";
  const answers = Math.max(now.checks_by - now.answered, 1), checks = now.to_come - answers;
  return `At most ${many(answers, "more answer")}, then checks at random: about ${count(Math.max(checks, 1))} if all are right.`;
}

// What would be true if a straight boundary fitted: an estimate, and said to be one.
export function expected(now, answers) {
  const known = now.figures;
  const found = now.exceptions > 0 ? ` Mistakes found: ${count(now.exceptions)}.` : "";
  if (!known || known.expected_error === null) {
    return now.answered > 0 && !now.both_seen ? `Nothing is expected before ${answers === 2 ? "both answers" : "two different answers"} were given.${found}` : found;
  }
  const source = known.expected_by === "checks" ? "going by the last checks" : answers === 2 ? "if a straight boundary fits" : "if straight boundaries fit";
  return `Expected ${source}: about ${about(known.expected_error)} wrong, an estimate.${found}`;
}

// With more than two answers nothing is said to follow: nothing was proven. Nor does anything where
// checks showed that no straight boundary fits.
export function follows(now, answers) {
  if (!now.both_seen || answers > 2 || now.out_of_reach) return "";
  const labels = Math.max(now.figures?.determined ?? 0, now.answered - now.exceptions);
  return `${count(labels)} of ${count(now.size)} labels follow from your answers, if a straight boundary fits.`;
}

export function brief(now) {
  const known = now.figures;
  if (known?.basis !== "audit" || known.checks === 0) return now.failed ? "not checked again" : "nothing checked";
  return `${outcome(known)}, at most ${atMost(known.error_bound, now.tolerance)}`;
}

// Answers after which the news about a failed check is old, and checks after which their beginning is.
const NEWS = 10, BEGINNING = 3;

// What has happened, if something has: { key, title, text, go, calm, take }. Whoever has read it
// dismisses it by its key.
export function news(now) {
  if (now.exhausted && now.answered > 0) {
    return { key: "all", title: "There is nothing left to ask", text: "Every example has an answer or was skipped.", calm: true, take: true };
  }
  if (now.finished && now.figures) return { key: "passed", title: "Goal reached", text: passed(now), go: "Go on checking", calm: true, take: true };
  if (now.out_of_reach) return { key: "reach", title: "The goal is out of reach", text: now.out_of_reach, go: "Go on anyway", take: true };
  if (now.phase === "checking" && now.figures?.checks < BEGINNING) return { key: `checking ${now.failed?.number ?? 0}`, ...beginning(now), go: "Understood", calm: true };
  if (now.failed && now.failed.since < NEWS && now.phase === "learning") return { key: `failed ${now.failed.number}`, ...failure(now.failed), go: "Understood" };
  return null;
}

function passed(now) {
  const known = now.figures, labels = `the ${count(now.size)} labels`;
  const bound = `Passed: at most ${atMost(known.error_bound, now.tolerance)} of ${labels} are wrong`;
  if (known.checks === 0) return `${bound}: all others were answered.`;
  return `${bound} (${sure(known)}). ${count(known.checks)} checked, ${came(known.wrong_found, known.skipped_checks)}.`;
}

function beginning(now) {
  const checks = `check about ${count(now.figures.remaining)} at random`;
  const why = "that tells how many labels are wrong, whatever the data";
  if (!now.both_seen) return { title: "All answers are the same so far", text: `Perhaps all are. Now ${checks}: ${why}.` };
  // Checks also come when there have been many answers, whatever is expected.
  const expects = now.figures.expected_error;
  const settled = expects !== null && expects <= now.tolerance;
  return { title: settled ? "The model has settled" : "Time for a check", text: `Now ${checks}: ${why}.` };
}

function failure(failed) {
  if (failed.answer_changed) {
    return { title: "Checking begins anew", text: "An answer was changed that the labels came of. All answers have been learnt from; learning goes on." };
  }
  return {
    title: failed.skipped > 0
      ? `Too many of the checked labels count as wrong (${count(failed.wrong)} of ${count(failed.checks)}, ${count(failed.skipped)} skipped)`
      : `The check found too many wrong (${count(failed.wrong)} of ${count(failed.checks)})`,
    text: "All answers have been learnt from; learning goes on.",
  };
}
