//go:build race

package shell_test

// raceOn: a process of a race build takes long to start, and these tests start thousands.
const raceOn = true
