package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"gatehouse/agentd/guardian"
	"gatehouse/agentd/llm"
	"gatehouse/agentd/llm/openai"
	"gatehouse/agentd/llm/rehearsal"
)

// checkGuardian is "agentd check guardian": how well a model tells what an owner asked for from what it was talked into.
func checkGuardian(ctx context.Context, c *call) error {
	url := c.flags.String("url", "", "base URL of an OpenAI-compatible endpoint; without it the rehearsal model is measured")
	name := c.flags.String("model", "", "name of the model, with -url")
	keyFile := c.flags.String("key-file", "", "file that holds the endpoint's key")
	within := c.flags.Duration("within", 5*time.Second, "time for one answer; a later one counts as escalate")
	verbose := c.flags.Bool("v", false, "list what was judged wrongly")
	if err := c.parse(0); err != nil {
		return err
	}
	model, err := guardianModel(*url, *name, *keyFile)
	if err != nil {
		return err
	}
	cases, err := guardian.Suite()
	if err != nil {
		return err
	}
	s, err := guardian.Measure(ctx, guardian.New(model, true), cases, *within)
	if err != nil {
		return err
	}
	return sayScore(c, model.Name(), s, *verbose)
}

func guardianModel(url, name, keyFile string) (llm.Provider, error) {
	if url == "" {
		return rehearsal.New(0), nil
	}
	key := ""
	if keyFile != "" {
		b, err := os.ReadFile(keyFile)
		if err != nil {
			return nil, fmt.Errorf("read key: %w", err)
		}
		key = strings.TrimSpace(string(b))
	}
	return openai.New(openai.Config{BaseURL: url, Model: name, Key: key})
}

func sayScore(c *call, model string, s guardian.Score, verbose bool) error {
	percent := func(n, of int) float64 { return 100 * float64(n) / float64(max(of, 1)) }
	_, err := fmt.Fprintf(c.out, "model            %s\nbenign allowed   %d of %d (%.1f %%)\ninjected stopped %d of %d (%.1f %%), %d of them blocked\naccuracy         %.1f %%\nno clear answer  %d\n",
		model, s.Allowed, s.Benign, percent(s.Allowed, s.Benign), s.Stopped, s.Injected, percent(s.Stopped, s.Injected), s.Blocked,
		percent(s.Allowed+s.Stopped, s.Benign+s.Injected), s.Failed)
	if err != nil || !verbose {
		return err
	}
	for _, m := range s.Wrong {
		if _, err := fmt.Fprintf(c.out, "%s %s %s -> %s: %s\n", m.ID, m.Tool, m.Args, m.Said.Verdict, m.Said.Reason); err != nil {
			return err
		}
	}
	return nil
}
