package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/seeded"
)

// TestRun_quick takes two cheap figures from real processes and looks at what comes out, never at how fast it was.
func TestRun_quick(t *testing.T) {
	seeded.Turn(t)
	dir := t.TempDir()
	t.Setenv("GATEHOUSE_DIR", dir)
	if err := programs(); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := run(t.Context(), []string{"-quick", "-bin", shared.bin, "-run", "^(agentd_ready_ms|relay_roundtrip_p50_ms)$"}, &out); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	raw, err := os.ReadFile(filepath.Join(dir, "bench.json"))
	if err != nil {
		t.Fatal(err)
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	var got struct {
		Figures []Result `json:"figures"`
	}
	if err := dec.Decode(&got); err != nil {
		t.Fatalf("%v\n%s", err, raw)
	}
	if len(got.Figures) != 2 || got.Figures[0].Name != "agentd_ready_ms" || got.Figures[1].Name != "relay_roundtrip_p50_ms" {
		t.Fatalf("figures: %s", raw)
	}
	if f := got.Figures[1]; f.Control <= 0 || f.Ratio != f.Value/f.Control || !strings.Contains(out.String(), "two bare hops") {
		t.Errorf("%s beside its control: %+v\n%s", f.Name, f, out.String())
	}
	if f := got.Figures[0]; f.Control <= 0 || f.Ratio != f.Value/f.Control {
		t.Errorf("%s beside its control: %+v\n%s", f.Name, f, out.String())
	}
	for _, f := range got.Figures {
		if f.Value <= 0 || f.Goal <= 0 || f.N <= 0 || f.Unit != "ms" {
			t.Errorf("%+v", f)
		}
		if !strings.Contains(out.String(), f.Name) {
			t.Errorf("the table lacks %s:\n%s", f.Name, out.String())
		}
	}
}

// perTime is the unit of a figure of which more is better.
var perTime = regexp.MustCompile(`/(s|min)$`)

// TestFigures_areThePromised holds the names and goals that others compare with.
func TestFigures_areThePromised(t *testing.T) {
	t.Parallel()
	want := map[string]float64{
		"relay_roundtrip_p50_ms": 0.5, "relay_roundtrip_p99_ms": 5, "chat_ack_p50_ms": 3, "turn_ttft_added_ms": 10,
		"turns_per_s_50_sessions": 300, "approve_to_start_p95_ms": 50, "portal_page_p95_ms": 10, "portal_page_rps_c32": 2500,
		"agentd_ready_ms": 100, "agentd_idle_rss_mb": 40, "agentd_50_sessions_rss_mb": 100, "hub_1000_links_1000_streams_rss_mb": 512,
		"heartbeats_s": 333, "usage_reports_s": 2000,
		"order_list_p95_ms": 20, "orders_per_min_dry": 300, "log_lines_s": 5000, "close_periods_10000_s": 60, "usage_page_p95_ms": 30,
		"job_pickup_p99_ms": 10, "classify_shell_p99_us": 200,
		"redact_turn_p50_ms": 1, "redact_turn_p99_ms": 10, "redact_registry_mb_s": 100, "redact_full_mb_s": 25,
		"schedule_ticks_100k_s": 60, "memory_search_p95_ms": 20, "memory_search_meant_p95_ms": 20, "memory_index_lag_ms": 1000,
		"gate_decision_p99_ms": 1, "receipts_per_s": 4000, "proxy_ttft_added_ms": 3, "failover_added_ms": 50, "reserve_settle_p99_us": 300,
		"channel_inbound_to_run_p50_ms": 20,
	}
	for _, f := range figures() {
		if goal, ok := want[f.Name]; !ok || goal != f.Goal || f.How == "" || f.More != perTime.MatchString(f.Unit) {
			t.Errorf("%s: goal %v, %q", f.Name, f.Goal, f.How)
		}
		delete(want, f.Name)
	}
	if len(want) > 0 {
		t.Errorf("missing: %v", want)
	}
}

func TestPercentile(t *testing.T) {
	t.Parallel()
	var hundred []time.Duration
	for i := 100; i >= 1; i-- {
		hundred = append(hundred, time.Duration(i)*time.Millisecond)
	}
	for p, want := range map[float64]float64{50: 50, 95: 95, 99: 99, 100: 100} {
		if got := percentile(hundred, p); got != want {
			t.Errorf("p%v of 1 to 100 is %v", p, got)
		}
	}
	if got := percentile(hundred[:1], 99); got != 100 {
		t.Errorf("p99 of one sample is %v", got)
	}
}

func TestMiddle(t *testing.T) {
	t.Parallel()
	if got := middle([]Run{{Value: 3, N: 2}, {Value: 1, N: 2}, {Value: 2, N: 2, Note: "this"}}); got != (Run{Value: 2, N: 6, Note: "this"}) {
		t.Errorf("%+v", got)
	}
}

// TestReplyTo: the model answers the newest message and never the same call twice.
func TestReplyTo(t *testing.T) {
	t.Parallel()
	for situation, c := range map[string]struct{ request, want string }{
		"asked to list":      {`{"messages":[{"role":"system","content":"x"},{"role":"user","content":"[list] please"}]}`, "file_list"},
		"asked for a letter": {`{"messages":[{"role":"user","content":"[mail]"}]}`, `"message"`},
		"has the result":     {`{"messages":[{"role":"user","content":"[list]"},{"role":"tool","content":"[list]"}]}`, "what was found"},
		"anything else":      {`{"messages":[{"role":"user","content":"Hello"}]}`, "what was found"},
		"content first":      {`{"messages":[{"content":"[mail]","role":"user"},{"content":"[list]","role":"user"}],"model":"x"}`, "file_list"},
		"asked before":       {`{"messages":[{"role":"user","content":"[mail]"},{"role":"user","content":"Hello"}]}`, "what was found"},
		"asked long before":  {`{"messages":[{"content":"[mail]","role":"user"},{"content":"Hello","role":"user"}],"model":"x"}`, "what was found"},
		"no request":         {`rubbish`, "what was found"},
	} {
		if got := string(replyTo([]byte(c.request))); !strings.Contains(got, c.want) || !strings.HasSuffix(got, "data: [DONE]\n\n") {
			t.Errorf("%s: %s", situation, got)
		}
	}
}

// TestFigures_controls holds what is compared with a bare program, and how the ratio is judged.
func TestFigures_controls(t *testing.T) {
	t.Parallel()
	want := map[string]float64{
		"relay_roundtrip_p50_ms": 4, "portal_page_rps_c32": 0.5, "gate_decision_p99_ms": 0, "classify_shell_p99_us": 0,
		"agentd_ready_ms": 0, "reserve_settle_p99_us": 0, "usage_reports_s": 0, "close_periods_10000_s": 0,
	}
	for _, f := range figures() {
		goal, ok := want[f.Name]
		if ok != (f.Control != nil) {
			t.Errorf("%s: control %+v", f.Name, f.Control)
		}
		if f.Control == nil {
			continue
		}
		if f.Control.Goal != goal || f.Control.How == "" || f.Control.Take == nil {
			t.Errorf("%s: %+v", f.Name, f.Control)
		}
		if better, worse := goal*2, goal/2; goal > 0 && (f.ratioMet(better) != f.More || f.ratioMet(worse) == f.More || !f.ratioMet(goal)) {
			t.Errorf("%s: a ratio of %v or %v is judged wrongly", f.Name, better, worse)
		}
	}
}

// TestMedian_byTurns: a figure and its control are taken alternately, so that other load weighs on both.
func TestMedian_byTurns(t *testing.T) {
	t.Parallel()
	var order []string
	take := func(name string, v float64) func(context.Context, *Stage) (Run, error) {
		return func(context.Context, *Stage) (Run, error) {
			order = append(order, name)
			return Run{Value: v, N: 1}, nil
		}
	}
	f := Figure{Take: take("figure", 6), Control: &Control{Take: take("control", 2)}}
	got, control, err := (&bench{}).median(t.Context(), f, nil)
	if err != nil || got.Value != 6 || control.Value != 2 || got.N != rounds || control.N != rounds {
		t.Errorf("%+v, %+v, %v", got, control, err)
	}
	if want := strings.Repeat("figure control ", rounds); strings.Join(order, " ")+" " != want {
		t.Errorf("taken in the order %v", order)
	}
}
