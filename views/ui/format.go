package ui

import (
	"strconv"
	"strings"
	"time"

	"gatehouse/views/i18n"
)

// Count writes a whole number with thousands separators: "1,204".
func Count(n int64) string { return i18n.Count(n) }

// Bytes writes a size as servers and their tools do, with at most one decimal: "512 B", "3.4 MB".
func Bytes(n int64) string {
	if n > -1000 && n < 1000 {
		return Count(n) + " B"
	}
	size, unit := float64(n), -1
	for (size >= 999.5 || size <= -999.5) && unit < 5 {
		size, unit = size/1000, unit+1
	}
	return decimal(size) + " " + string("kMGTPE"[unit]) + "B"
}

// Tokens writes a number of tokens short enough for a line: "950", "12.4 k", "6.1 M".
func Tokens(n int64) string {
	switch {
	case n < 1_000:
		return Count(n)
	case n < 999_500:
		return decimal(float64(n)/1_000) + " k"
	}
	return decimal(float64(n)/1_000_000) + " M"
}

// Duration writes how long something takes in its two largest units: "80 ms", "4.2 s", "2 min 5 s", "3 d 4 h".
func Duration(d time.Duration) string {
	d = d.Abs()
	switch {
	case d < time.Second:
		return strconv.FormatInt(d.Milliseconds(), 10) + " ms"
	case d < 10*time.Second && d%time.Second >= 50*time.Millisecond:
		return decimal(d.Seconds()) + " s"
	case d < time.Minute:
		return strconv.Itoa(int(d.Seconds())) + " s"
	case d < time.Hour:
		return two(d, time.Minute, " min", time.Second, " s")
	case d < 24*time.Hour:
		return two(d, time.Hour, " h", time.Minute, " min")
	}
	return two(d, 24*time.Hour, " d", time.Hour, " h")
}

// Percent writes a share of a whole: "42 %". A part of a percent counts as a whole one, as df counts, so that a page and an
// agent that ran df say the same. Nothing of nothing is 0.
func Percent(part, whole int64) string {
	if whole == 0 {
		return "0 %"
	}
	return strconv.FormatInt((part*100+whole-1)/whole, 10) + " %"
}

// ShortHash cuts a hash to what a person compares.
func ShortHash(h string) string {
	if len(h) <= 12 {
		return h
	}
	return h[:12]
}

// decimal writes one decimal, and none where it would be 0 or the number is long.
func decimal(f float64) string {
	s := strconv.FormatFloat(f, 'f', 1, 64)
	if f >= 99.95 || f <= -99.95 {
		s = strconv.FormatFloat(f, 'f', 0, 64)
	}
	return strings.Replace(strings.TrimSuffix(s, ".0"), "-", "−", 1)
}

func two(d, big time.Duration, bigUnit string, small time.Duration, smallUnit string) string {
	out := strconv.Itoa(int(d/big)) + bigUnit
	if rest := d % big / small; rest > 0 {
		out += " " + strconv.Itoa(int(rest)) + smallUnit
	}
	return out
}
