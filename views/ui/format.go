package ui

import (
	"context"
	"math"
	"strconv"
	"time"

	"gatehouse/views/i18n"
)

// Count writes a whole number with thousands separators: "1,204".
func Count(ctx context.Context, n int64) string { return i18n.Count(ctx, n) }

// Bytes writes a size as servers and their tools do, with at most one decimal: "512 B", "3.4 MB".
func Bytes(ctx context.Context, n int64) string {
	if n > -1000 && n < 1000 {
		return Count(ctx, n) + " B"
	}
	size, unit := float64(n), -1
	for (size >= 999.5 || size <= -999.5) && unit < 5 {
		size, unit = size/1000, unit+1
	}
	return decimal(ctx, size) + " " + string("kMGTPE"[unit]) + "B"
}

// Tokens writes a number of tokens short enough for a line: "950", "12.4 k", "6.1 M".
func Tokens(ctx context.Context, n int64) string {
	switch {
	case n < 1_000:
		return Count(ctx, n)
	case n < 999_500:
		return decimal(ctx, float64(n)/1_000) + " k"
	}
	return i18n.T(ctx, "number.millions", "amount", decimal(ctx, float64(n)/1_000_000))
}

// Duration writes how long something takes in its two largest units: "80 ms", "4.2 s", "2 min 5 s", "3 d 4 h".
func Duration(ctx context.Context, d time.Duration) string {
	d = d.Abs()
	switch {
	case d < time.Second:
		return strconv.FormatInt(d.Milliseconds(), 10) + " ms"
	case d < 10*time.Second && d%time.Second >= 50*time.Millisecond:
		return decimal(ctx, d.Seconds()) + " s"
	case d < time.Minute:
		return strconv.Itoa(int(d.Seconds())) + " s"
	case d < time.Hour:
		return two(d, time.Minute, " min", time.Second, " s")
	case d < 24*time.Hour:
		return two(d, time.Hour, " h", time.Minute, " min")
	}
	return two(d, 24*time.Hour, " "+i18n.T(ctx, "ui.time.unit_day"), time.Hour, " h")
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
func decimal(ctx context.Context, f float64) string {
	tenths := 1
	if f >= 99.95 || f <= -99.95 || math.Abs(math.Mod(math.Round(f*10), 10)) == 0 {
		tenths = 0
	}
	return i18n.Decimal(ctx, f, tenths)
}

func two(d, big time.Duration, bigUnit string, small time.Duration, smallUnit string) string {
	out := strconv.Itoa(int(d/big)) + bigUnit
	if rest := d % big / small; rest > 0 {
		out += " " + strconv.Itoa(int(rest)) + smallUnit
	}
	return out
}
