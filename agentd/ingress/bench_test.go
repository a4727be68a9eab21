package ingress

import (
	"strings"
	"testing"
)

// BenchmarkScan reads a page of 64 KiB that holds no trick.
func BenchmarkScan(b *testing.B) {
	sentence := "The committee met on Tuesday to review the plan for the new building, and asked the office to send the minutes to all members. See https://docs.example/guide for more. "
	page := strings.Repeat(sentence, Budget/len(sentence))
	b.SetBytes(int64(len(page)))
	for b.Loop() {
		if Scan(page).Flagged {
			b.Fatal("flagged")
		}
	}
}
