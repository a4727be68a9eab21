//go:build !race

package shell_test

const raceOn = false
