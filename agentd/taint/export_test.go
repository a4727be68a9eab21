package taint

// ClockTick is how far the clock of a file system may lag behind.
const ClockTick = clockTick
