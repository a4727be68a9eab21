package meter

import "encoding/json"

// piece is a body, or one event of a stream, as far as a model's words may stand in it: those of chat completions, of
// responses and of messages.
type piece struct {
	Choices []struct {
		Delta   words  `json:"delta"`
		Message words  `json:"message"`
		Text    string `json:"text"`
	} `json:"choices"`
	Delta   json.RawMessage `json:"delta"` // responses: a string; messages: an object
	Block   block           `json:"content_block"`
	Content []block         `json:"content"` // messages, not streamed
	Output  []struct {      // responses, not streamed
		Content   []block `json:"content"`
		Arguments string  `json:"arguments"`
	} `json:"output"`
}

type words struct {
	Content   json.RawMessage `json:"content"` // a string; some endpoints send null or parts
	Reasoning string          `json:"reasoning_content"`
	Refusal   string          `json:"refusal"`
	Tools     []struct {
		Function struct {
			Name      string `json:"name"`
			Arguments string `json:"arguments"`
		} `json:"function"`
	} `json:"tool_calls"`
}

type block struct {
	Text     string          `json:"text"`
	Thinking string          `json:"thinking"`
	JSON     string          `json:"partial_json"`
	Name     string          `json:"name"`
	Input    json.RawMessage `json:"input"`
}

// textIn passes on what the model says in one body or event.
func textIn(b []byte, say func(string)) {
	var p piece
	if json.Unmarshal(b, &p) != nil {
		return
	}
	for _, c := range p.Choices {
		c.Delta.each(say)
		c.Message.each(say)
		say(c.Text)
	}
	for _, o := range p.Output {
		eachBlock(o.Content, say)
		say(o.Arguments)
	}
	eachBlock(p.Content, say)
	p.Block.each(say)
	if say(stringOf(p.Delta)); len(p.Delta) > 0 && p.Delta[0] == '{' {
		var d block
		if json.Unmarshal(p.Delta, &d) == nil {
			d.each(say)
		}
	}
}

func (w words) each(say func(string)) {
	say(stringOf(w.Content))
	say(w.Reasoning)
	say(w.Refusal)
	for _, t := range w.Tools {
		say(t.Function.Name)
		say(t.Function.Arguments)
	}
}

func eachBlock(all []block, say func(string)) {
	for _, b := range all {
		b.each(say)
	}
}

func (b block) each(say func(string)) {
	say(b.Text)
	say(b.Thinking)
	say(b.JSON)
	say(b.Name)
	if len(b.Input) > len(`{}`) {
		say(string(b.Input))
	}
}

// stringOf is a JSON string; empty when it is something else.
func stringOf(raw json.RawMessage) string {
	var s string
	if len(raw) == 0 || raw[0] != '"' || json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}
