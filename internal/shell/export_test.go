package shell

// OpenStepwise is for tests where the system needs no going step by step.
var OpenStepwise = openStepwise
