package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"time"

	"gatehouse/agentd/redact"
)

// What the figures of redaction are taken with.
const (
	redactSecrets = 200
	historyBytes  = 800 << 10 // 200,000 tokens at 4 bytes each
	historyPart   = 2 << 10   // bytes of one message of the history
	turnBytes     = 8 << 10
	redactTurns   = 400
	redactTime    = time.Second // how long one speed is measured
)

func redactTurnP50() Figure {
	return Figure{
		Name: "redact_turn_p50_ms", Unit: "ms", Goal: 1,
		How:  "redaction of a request whose history of 200,000 tokens was seen before and that adds 8 KB of new text, 200 known secrets, one core, in this process",
		Take: func(context.Context, *Stage) (Run, error) { return redactTurn(50) },
	}
}

func redactTurnP99() Figure {
	return Figure{
		Name: "redact_turn_p99_ms", Unit: "ms", Goal: 10,
		How:  "the same, 99th percentile",
		Take: func(context.Context, *Stage) (Run, error) { return redactTurn(99) },
	}
}

func redactRegistry() Figure {
	return Figure{
		Name: "redact_registry_mb_s", Unit: "MB/s", Goal: 100, More: true,
		How: "known secrets alone, 200 of them in all encodings, on mixed text of 1 MB in which 20 stand encoded, one core, in this process",
		Take: func(context.Context, *Stage) (Run, error) {
			return redactSpeed(1<<20, (*redact.Engine).Registered)
		},
	}
}

func redactFull() Figure {
	return Figure{
		Name: "redact_full_mb_s", Unit: "MB/s", Goal: 25, More: true,
		How: "known secrets, credential formats and assignments on fresh mixed text, the slower of 100 KB and 1 MB, one core, in this process",
		Take: func(context.Context, *Stage) (Run, error) {
			scan := func(e *redact.Engine, text string) (int, error) {
				_, found, err := e.Check(text)
				return len(found), err
			}
			small, err := redactSpeed(100<<10, scan)
			if err != nil {
				return Run{}, err
			}
			large, err := redactSpeed(1<<20, scan)
			if err != nil {
				return Run{}, err
			}
			note := fmt.Sprintf("100 KB: %.0f, 1 MB: %.0f", small.Value, large.Value)
			return Run{Value: min(small.Value, large.Value), N: small.N + large.N, Note: note}, nil
		},
	}
}

// redactTurn takes a percentile of turns, each with new text.
func redactTurn(percent float64) (Run, error) {
	r := rand.New(rand.NewPCG(1, 1))
	e := redact.NewWith(benchSecrets(r))
	var parts []string
	for n := 0; n < historyBytes; n += historyPart {
		parts = append(parts, benchText(r, historyPart))
	}
	if _, err := e.CheckTexts(parts); err != nil {
		return Run{}, err
	}
	var took []time.Duration
	for range redactTurns {
		parts = parts[turnBytes/historyPart:] // the history stays as long as it was
		for range turnBytes / historyPart {
			parts = append(parts, benchText(r, historyPart))
		}
		start := time.Now()
		if _, err := e.CheckTexts(parts); err != nil {
			return Run{}, err
		}
		took = append(took, time.Since(start))
	}
	return Run{Value: percentile(took, percent), N: len(took)}, nil
}

// redactSpeed measures how many megabytes of fresh text a scan reads in a second.
func redactSpeed(size int, scan func(*redact.Engine, string) (int, error)) (Run, error) {
	r := rand.New(rand.NewPCG(2, 2))
	known := benchSecrets(r)
	e := redact.NewWith(known)
	text := planted(r, known, size)
	runtime.GC()
	n := 0
	start := time.Now()
	for time.Since(start) < redactTime {
		found, err := scan(e, text)
		if err != nil {
			return Run{}, err
		}
		if found < plantedSecrets {
			return Run{}, errors.New("a planted secret was not found")
		}
		n++
	}
	return Run{Value: float64(n*len(text)) / 1e6 / time.Since(start).Seconds(), N: n}, nil
}

func benchSecrets(r *rand.Rand) []redact.Known {
	all := make([]redact.Known, redactSecrets)
	for i := range all {
		all[i] = redact.Known{Name: fmt.Sprintf("tool%d.key", i), Value: drawn(r, 24+r.IntN(20))}
	}
	return all
}

func drawn(r *rand.Rand, n int) string {
	const from = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	var b strings.Builder
	for range n {
		b.WriteByte(from[r.IntN(len(from))])
	}
	return b.String()
}
