package tool

import "fmt"

// Bytes is a number of bytes for people: "3.2 MB".
func Bytes(n int64) string {
	const unit = 1000
	if n < unit {
		return Count(n, "byte", "bytes")
	}
	value, exp := float64(n)/unit, 0
	for value >= unit && exp < 4 {
		value /= unit
		exp++
	}
	return fmt.Sprintf("%.1f %cB", value, "kMGTP"[exp])
}

// Count is a number of things for people: "1 file", "14 files".
func Count(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// Refuse makes the error that the model reads.
func Refuse(format string, a ...any) error { return &Refused{Text: fmt.Sprintf(format, a...)} }
