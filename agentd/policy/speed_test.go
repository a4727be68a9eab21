package policy_test

import (
	"slices"
	"testing"
	"time"

	"gatehouse/agentd/policy"
)

// BenchmarkShell classifies the whole corpus, line by line, and reports the time that one line in a hundred exceeds.
func BenchmarkShell(b *testing.B) {
	lines := slices.Concat(corpus(b, "shell_harmless.txt"), commandsOf(adversarial(b)))
	var took []time.Duration
	for b.Loop() {
		for _, l := range lines {
			from := time.Now()
			policy.Shell(l, env)
			took = append(took, time.Since(from))
		}
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)*99/100].Nanoseconds())/1000, "p99-µs")
	b.ReportMetric(float64(took[len(took)/2].Nanoseconds())/1000, "p50-µs")
	b.ReportMetric(float64(took[len(took)-1].Nanoseconds())/1000, "max-µs")
}

// BenchmarkClassify classifies the corpus of all other tools.
func BenchmarkClassify(b *testing.B) {
	all := calls(b)
	b.ReportAllocs()
	for b.Loop() {
		for _, c := range all {
			policy.Classify(c.tool, c.args, byName)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*len(all)), "µs/call")
}
