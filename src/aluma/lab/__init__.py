"""The laboratory: simulated labelling, data sets, experiments, benchmarks, figures."""
