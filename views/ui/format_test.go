package ui

import (
	"testing"
	"time"
)

func TestBytes(t *testing.T) {
	t.Parallel()
	for n, want := range map[int64]string{
		0: "0 B", 1: "1 B", 999: "999 B", 1000: "1 kB", 1536: "1.5 kB", 3355443: "3.4 MB", 999_500: "1 MB", 999_499: "999 kB", 100_000_000_000: "100 GB",
		1<<63 - 1: "9.2 EB", -2048: "−2 kB",
	} {
		if got := Bytes(t.Context(), n); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}

func TestTokens(t *testing.T) {
	t.Parallel()
	for n, want := range map[int64]string{0: "0", 950: "950", 1_000: "1 k", 12_431: "12.4 k", 999_499: "999 k", 999_500: "1 M", 6_100_000: "6.1 M", 8_000_000: "8 M"} {
		if got := Tokens(t.Context(), n); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}

func TestDuration(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		0: "0 ms", 80 * time.Millisecond: "80 ms", 4200 * time.Millisecond: "4.2 s", 9 * time.Second: "9 s", 59 * time.Second: "59 s",
		125 * time.Second: "2 min 5 s", time.Hour: "1 h", 26*time.Hour + 30*time.Minute: "1 d 2 h", -2 * time.Minute: "2 min",
	} {
		if got := Duration(t.Context(), d); got != want {
			t.Errorf("%s: %q, want %q", d, got, want)
		}
	}
}

func TestPercent(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		part, whole int64
		want        string
	}{{42, 100, "42 %"}, {0, 0, "0 %"}, {9, 8, "113 %"}, {181, 1000, "19 %"}, {1, 1 << 40, "1 %"}, {1 << 40, 1 << 40, "100 %"}} {
		if got := Percent(tc.part, tc.whole); got != tc.want {
			t.Errorf("%d of %d: %q, want %q", tc.part, tc.whole, got, tc.want)
		}
	}
}

func TestShortHash(t *testing.T) {
	t.Parallel()
	if a, b := ShortHash("0123456789abcdef"), ShortHash("abc"); a != "0123456789ab" || b != "abc" {
		t.Error(a, b)
	}
}
