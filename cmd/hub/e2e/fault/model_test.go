package fault

import (
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"gatehouse/cmd/hub/e2e"
)

// TestModel gives the shipped programs every kind of bad endpoint and bad answer: the person gets words, nothing of half
// an answer is carried out, and the next message works.
func TestModel(t *testing.T) {
	m := e2e.StartModel(t)
	h, c := e2e.Start(t, m.Env()...)
	t.Run("broken answers", func(t *testing.T) { brokenAnswers(t, h) })
	t.Run("bad calls", func(t *testing.T) { badCalls(t, h) })
	t.Run("one id twice", func(t *testing.T) { oneIDTwice(t, h) })
	t.Run("calls at once", func(t *testing.T) { callsAtOnce(t, h) })
	t.Run("slow", func(t *testing.T) { slowAnswer(t, h) })
	t.Run("silent", func(t *testing.T) { silentAnswer(t, h) })
	t.Run("10 MB of output", func(t *testing.T) { bigOutput(t, h, m) })
	m.Close()
	s := c.End(c.Say("it-admin", "Are you there?"))
	if s.Err == nil || s.Err.Type != "model" || !strings.Contains(s.Err.Title+s.Err.Detail, "cannot be reached") {
		t.Errorf("with the endpoint down a run ends with %v", s.Tail())
	}
}

func brokenAnswers(t *testing.T, h *e2e.Hub) {
	c := h.API(t)
	half := e2e.ToolCall{Name: "shell", Args: `{"command":"echo half > half.txt`}
	for name, s := range map[string]e2e.Step{
		"a web page":      {Raw: "<html><body>Sign in</body></html>", Type: "text/html"},
		"JSON, no stream": {Raw: `{"choices":[]}`, Type: "application/json"},
		"half JSON":       {Raw: `data: {"id":"c","choices":[{"ind` + "\n\n"},
		"no JSON":         {Raw: "data: good evening\n\n"},
		"nothing":         {Raw: "\n"},
		"no end": {Raw: `data: {"id":"c","object":"chat.completion.chunk",` +
			`"choices":[{"index":0,"delta":{"content":"Well"},"finish_reason":null}]}` + "\n\n"},
		"broken off":         {Say: "I was about to", Break: true},
		"broken off in call": {Calls: []e2e.ToolCall{half}, Break: true},
		"wrong key":          {Status: http.StatusUnauthorized},
		"too many requests":  {Status: http.StatusTooManyRequests},
		"fault":              {Status: http.StatusInternalServerError},
		"refused":            {Status: http.StatusBadRequest},
	} {
		run := c.Say("it-admin", e2e.Script(t, s))
		end := c.End(run)
		if end.Err == nil || end.Err.Type != "model" || end.Err.Title == "" || len(end.Err.Detail) < 20 {
			t.Errorf("%s: the run ended with %v", name, end.Tail())
		}
		if rs := c.Receipts(run); e2e.Count(rs, "call.started", "") > 0 {
			t.Errorf("%s: receipts %v", name, e2e.Types(rs))
		}
		if good := c.End(c.Say("it-admin", e2e.Script(t, e2e.Step{Say: "Well."}))); good.Final == nil || good.Final.Text != "Well." {
			t.Errorf("after %s: %v", name, good.Tail())
		}
	}
	if _, err := os.Stat(h.Data("half.txt")); !os.IsNotExist(err) {
		t.Errorf("half a call was carried out: %v", err)
	}
}

// badCalls: the model is told what is wrong, with a receipt, and may go on.
func badCalls(t *testing.T, h *e2e.Hub) {
	c := h.API(t)
	for name, bad := range map[string]e2e.ToolCall{
		"malformed":        {Name: "shell", Args: `{"command":"echo bad > bad.txt"`},
		"no object":        {Name: "shell", Args: `"echo bad > bad.txt"`},
		"an unknown tool":  {Name: "root_shell", Args: `{"command":"echo bad > bad.txt"}`},
		"an unknown field": {Name: "shell", Args: `{"command":"echo bad > bad.txt","sudo":true}`},
		"a missing field":  {Name: "shell", Args: `{}`},
		"the wrong type":   {Name: "shell", Args: `{"command":["echo","bad"]}`},
		"one key twice":    {Name: "shell", Args: `{"command":"uptime","command":"echo bad > bad.txt"}`},
		"another's tool":   {Name: "agent_dispatch", Args: `{"target":"secretary","task":"x"}`},
	} {
		run := c.Say("it-admin", e2e.ToolScript(t, "I see.", bad))
		end, rs := c.End(run), c.Receipts(run)
		if end.Final == nil || end.Final.Text != "I see." {
			t.Errorf("%s: the run ended with %v", name, end.Tail())
		}
		if e2e.Count(rs, "call.denied", "") != 1 || e2e.Count(rs, "call.started", "") != 0 {
			t.Errorf("%s: receipts %v", name, e2e.Types(rs))
		}
	}
	if _, err := os.Stat(h.Data("bad.txt")); !os.IsNotExist(err) {
		t.Errorf("a call that was refused was carried out: %v", err)
	}
}

// oneIDTwice: a model that repeats a call under one id gets one execution.
func oneIDTwice(t *testing.T, h *e2e.Hub) {
	c := h.API(t)
	once := e2e.Tool("shell", map[string]any{"command": "echo once >> twice.txt"})
	once.ID = "same"
	run := c.Say("it-admin", e2e.ToolScript(t, "Once.", once, once))
	if end := c.End(run); end.Final == nil {
		t.Errorf("the run ended with %v", end.Tail())
	}
	if n := len(e2e.Lines(t, h.Data("twice.txt"))); n != 1 {
		t.Errorf("carried out %d times: %v", n, e2e.Types(c.Receipts(run)))
	}
}

// callsAtOnce: several calls in one answer all run, and the usage of all requests is added up.
func callsAtOnce(t *testing.T, h *e2e.Hub) {
	c := h.API(t)
	var calls []e2e.ToolCall
	for _, name := range []string{"a", "b", "c", "d"} {
		calls = append(calls, e2e.Tool("shell", map[string]any{"command": "echo " + name + " > at-once-" + name + ".txt"}))
	}
	run := c.Say("it-admin", e2e.ToolScript(t, "All four.", calls...))
	end := c.End(run)
	if end.Final == nil || end.Final.Usage.Input != 22 || end.Final.Usage.Output != 14 || end.Final.Usage.Model != "scripted" {
		t.Errorf("the run ended with %v", end.Tail())
	}
	if n := e2e.Count(c.Receipts(run), "call.finished", "shell"); n != 4 {
		t.Errorf("%d of 4 calls finished", n)
	}
	for _, name := range []string{"a", "b", "c", "d"} {
		if got := e2e.Lines(t, h.Data("at-once-"+name+".txt")); len(got) != 1 || got[0] != name+"\n" {
			t.Errorf("call %s left %q", name, got)
		}
	}
}

// slowAnswer: each piece is there as soon as the model wrote it.
func slowAnswer(t *testing.T, h *e2e.Hub) {
	c := h.API(t)
	run, s := c.Say("it-admin", e2e.Script(t, e2e.Step{Say: "Wait. ", Pieces: 3, Pause: 300 * time.Millisecond})), &e2e.Story{}
	c.Follow(run, s, func() bool { return s.Text != "" })
	if s.Ended() {
		t.Error("the first piece came with the last")
	}
	want := "Wait. " + e2e.Words(3)
	if c.Follow(run, s, s.Ended); s.Final == nil || s.Final.Text != strings.TrimSpace(want) && s.Final.Text != want {
		t.Errorf("the run ended with %v", s.Tail())
	}
}

// silentAnswer: an endpoint that says nothing more can be stopped at once; what it wrote stays. (Left alone the run ends
// after a minute of silence: proven with a shorter minute in agentd/llm/openai.)
func silentAnswer(t *testing.T, h *e2e.Hub) {
	c := h.API(t)
	run, s := c.Say("it-admin", e2e.Script(t, e2e.Step{Say: "Let me think", Hang: true})), &e2e.Story{}
	c.Follow(run, s, func() bool { return s.Text != "" })
	c.Want(http.StatusAccepted, http.MethodPost, "/runs/"+run+"/cancel", nil, nil)
	c.Follow(run, s, s.Ended)
	if s.Err == nil || s.Err.Type != "stopped" || s.Err.Text != "Let me think" {
		t.Errorf("the run ended with %v", s.Tail())
	}
}

// bigOutput: the model reads the beginning of 10 MB, people get an answer; what is more than any answer is stopped.
func bigOutput(t *testing.T, h *e2e.Hub, m *e2e.Model) {
	c := h.API(t)
	line := strings.Repeat("0123456789", 10) + "\n"
	big := strings.Repeat(line, 10<<20/len(line))
	if err := os.WriteFile(h.Data("big.txt"), []byte(big), 0o644); err != nil {
		t.Fatal(err)
	}
	before := len(m.Transcript())
	run := c.Say("it-admin", e2e.ToolScript(t, "Long.", e2e.Tool("shell", map[string]any{"command": "cat big.txt"})))
	end := c.End(run)
	if end.Final == nil || end.Final.Text != "Long." || e2e.Count(c.Receipts(run), "call.finished", "shell") != 1 {
		t.Errorf("the run ended with %v", end.Tail())
	}
	if read := len(m.Transcript()) - before; read > 300<<10 || read < 60<<10 {
		t.Errorf("the model was given %d bytes", read)
	}
	thrice := e2e.Tool("shell", map[string]any{"command": "cat big.txt big.txt big.txt"})
	flood := c.Say("it-admin", e2e.ToolScript(t, "Too long.", thrice))
	if end := c.End(flood); end.Final == nil || e2e.Count(c.Receipts(flood), "call.failed", "shell") != 1 {
		t.Errorf("after a flood the run ended with %v: %v", end.Tail(), e2e.Types(c.Receipts(flood)))
	}
}
