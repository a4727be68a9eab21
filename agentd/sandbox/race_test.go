//go:build race

package sandbox_test

const raceOn = true
