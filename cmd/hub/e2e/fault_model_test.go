package e2e

import (
	"net/http"
	"os"
	"strings"
	"testing"
	"time"
)

// TestModel gives the shipped programs every kind of bad endpoint and bad answer: the person gets words, nothing of half
// an answer is carried out, and the next message works.
func TestModel(t *testing.T) {
	m := startModel(t)
	h, c := parallelHub(t, m.env()...)
	t.Run("broken answers", func(t *testing.T) { brokenAnswers(t, h) })
	t.Run("bad calls", func(t *testing.T) { badCalls(t, h) })
	t.Run("one id twice", func(t *testing.T) { oneIDTwice(t, h) })
	t.Run("calls at once", func(t *testing.T) { callsAtOnce(t, h) })
	t.Run("slow", func(t *testing.T) { slowAnswer(t, h) })
	t.Run("silent", func(t *testing.T) { silentAnswer(t, h) })
	t.Run("10 MB of output", func(t *testing.T) { bigOutput(t, h, m) })
	m.srv.CloseClientConnections()
	m.srv.Close()
	if s := c.end(c.say("it-admin", "Are you there?")); s.err == nil || s.err.Type != "model" || !strings.Contains(s.err.Title+s.err.Detail, "cannot be reached") {
		t.Errorf("with the endpoint down a run ends with %v", s.tail())
	}
}

func brokenAnswers(t *testing.T, h *hub) {
	c := h.api(t)
	half := scripted{Name: "shell", Args: `{"command":"echo half > half.txt`}
	for name, s := range map[string]step{
		"a web page":         {Raw: "<html><body>Sign in</body></html>", Type: "text/html"},
		"JSON, no stream":    {Raw: `{"choices":[]}`, Type: "application/json"},
		"half JSON":          {Raw: `data: {"id":"c","choices":[{"ind` + "\n\n"},
		"no JSON":            {Raw: "data: good evening\n\n"},
		"nothing":            {Raw: "\n"},
		"no end":             {Raw: `data: {"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"Well"},"finish_reason":null}]}` + "\n\n"},
		"broken off":         {Say: "I was about to", Break: true},
		"broken off in call": {Calls: []scripted{half}, Break: true},
		"wrong key":          {Status: http.StatusUnauthorized},
		"too many requests":  {Status: http.StatusTooManyRequests},
		"fault":              {Status: http.StatusInternalServerError},
		"refused":            {Status: http.StatusBadRequest},
	} {
		run := c.say("it-admin", script(t, s))
		end := c.end(run)
		if end.err == nil || end.err.Type != "model" || end.err.Title == "" || len(end.err.Detail) < 20 {
			t.Errorf("%s: the run ended with %v", name, end.tail())
		}
		if rs := c.receipts(run); count(rs, "call.started", "") > 0 {
			t.Errorf("%s: receipts %v", name, types(rs))
		}
		if good := c.end(c.say("it-admin", script(t, step{Say: "Well."}))); good.final == nil || good.final.Text != "Well." {
			t.Errorf("after %s: %v", name, good.tail())
		}
	}
	if _, err := os.Stat(h.data("half.txt")); !os.IsNotExist(err) {
		t.Errorf("half a call was carried out: %v", err)
	}
}

// badCalls: the model is told what is wrong, with a receipt, and may go on.
func badCalls(t *testing.T, h *hub) {
	c := h.api(t)
	for name, bad := range map[string]scripted{
		"malformed":        {Name: "shell", Args: `{"command":"echo bad > bad.txt"`},
		"no object":        {Name: "shell", Args: `"echo bad > bad.txt"`},
		"an unknown tool":  {Name: "root_shell", Args: `{"command":"echo bad > bad.txt"}`},
		"an unknown field": {Name: "shell", Args: `{"command":"echo bad > bad.txt","sudo":true}`},
		"a missing field":  {Name: "shell", Args: `{}`},
		"the wrong type":   {Name: "shell", Args: `{"command":["echo","bad"]}`},
		"one key twice":    {Name: "shell", Args: `{"command":"uptime","command":"echo bad > bad.txt"}`},
		"another's tool":   {Name: "agent_dispatch", Args: `{"target":"secretary","task":"x"}`},
	} {
		run := c.say("it-admin", script(t, call(bad), step{Say: "I see."}))
		end, rs := c.end(run), c.receipts(run)
		if end.final == nil || end.final.Text != "I see." {
			t.Errorf("%s: the run ended with %v", name, end.tail())
		}
		if count(rs, "call.denied", "") != 1 || count(rs, "call.started", "") != 0 {
			t.Errorf("%s: receipts %v", name, types(rs))
		}
	}
	if _, err := os.Stat(h.data("bad.txt")); !os.IsNotExist(err) {
		t.Errorf("a call that was refused was carried out: %v", err)
	}
}

// oneIDTwice: a model that repeats a call under one id gets one execution.
func oneIDTwice(t *testing.T, h *hub) {
	c := h.api(t)
	once := tool("shell", map[string]any{"command": "echo once >> twice.txt"})
	once.ID = "same"
	run := c.say("it-admin", script(t, call(once, once), step{Say: "Once."}))
	if end := c.end(run); end.final == nil {
		t.Errorf("the run ended with %v", end.tail())
	}
	if n := len(lines(t, h.data("twice.txt"))); n != 1 {
		t.Errorf("carried out %d times: %v", n, types(c.receipts(run)))
	}
}

// callsAtOnce: several calls in one answer all run, and the usage of all requests is added up.
func callsAtOnce(t *testing.T, h *hub) {
	c := h.api(t)
	var calls []scripted
	for _, name := range []string{"a", "b", "c", "d"} {
		calls = append(calls, tool("shell", map[string]any{"command": "echo " + name + " > at-once-" + name + ".txt"}))
	}
	run := c.say("it-admin", script(t, call(calls...), step{Say: "All four."}))
	end := c.end(run)
	if end.final == nil || end.final.Usage.Input != 22 || end.final.Usage.Output != 14 || end.final.Usage.Model != "scripted" {
		t.Errorf("the run ended with %v", end.tail())
	}
	if n := count(c.receipts(run), "call.finished", "shell"); n != 4 {
		t.Errorf("%d of 4 calls finished", n)
	}
	for _, name := range []string{"a", "b", "c", "d"} {
		if got := lines(t, h.data("at-once-"+name+".txt")); len(got) != 1 || got[0] != name+"\n" {
			t.Errorf("call %s left %q", name, got)
		}
	}
}

// slowAnswer: each piece is there as soon as the model wrote it.
func slowAnswer(t *testing.T, h *hub) {
	c := h.api(t)
	run, s := c.say("it-admin", script(t, step{Say: "Wait. ", Pieces: 3, Pause: 300 * time.Millisecond})), &story{}
	c.follow(run, s, func() bool { return s.text != "" })
	if s.ended() {
		t.Error("the first piece came with the last")
	}
	if c.follow(run, s, s.ended); s.final == nil || s.final.Text != strings.TrimSpace("Wait. "+words(3)) && s.final.Text != "Wait. "+words(3) {
		t.Errorf("the run ended with %v", s.tail())
	}
}

// silentAnswer: an endpoint that says nothing more can be stopped at once; what it wrote stays. (Left alone the run ends
// after a minute of silence: proven with a shorter minute in agentd/llm/openai.)
func silentAnswer(t *testing.T, h *hub) {
	c := h.api(t)
	run, s := c.say("it-admin", script(t, step{Say: "Let me think", Hang: true})), &story{}
	c.follow(run, s, func() bool { return s.text != "" })
	c.want(http.StatusAccepted, http.MethodPost, "/runs/"+run+"/cancel", nil, nil)
	c.follow(run, s, s.ended)
	if s.err == nil || s.err.Type != "stopped" || s.err.Text != "Let me think" {
		t.Errorf("the run ended with %v", s.tail())
	}
}

// bigOutput: the model reads the beginning of 10 MB, people get an answer; what is more than any answer is stopped.
func bigOutput(t *testing.T, h *hub, m *model) {
	c := h.api(t)
	line := strings.Repeat("0123456789", 10) + "\n"
	big := strings.Repeat(line, 10<<20/len(line))
	if err := os.WriteFile(h.data("big.txt"), []byte(big), 0o644); err != nil {
		t.Fatal(err)
	}
	before := len(m.saw())
	run := c.say("it-admin", script(t, call(tool("shell", map[string]any{"command": "cat big.txt"})), step{Say: "Long."}))
	end := c.end(run)
	if end.final == nil || end.final.Text != "Long." || count(c.receipts(run), "call.finished", "shell") != 1 {
		t.Errorf("the run ended with %v", end.tail())
	}
	if read := len(m.saw()) - before; read > 300<<10 || read < 60<<10 {
		t.Errorf("the model was given %d bytes", read)
	}
	flood := c.say("it-admin", script(t, call(tool("shell", map[string]any{"command": "cat big.txt big.txt big.txt"})), step{Say: "Too long."}))
	if end := c.end(flood); end.final == nil || count(c.receipts(flood), "call.failed", "shell") != 1 {
		t.Errorf("after a flood the run ended with %v: %v", end.tail(), types(c.receipts(flood)))
	}
}
