package openai

import (
	"encoding/json"
	"errors"
)

// chunk is a piece of a streamed reply, as far as it is read here. The SDK's own type keeps every field twice, as it came
// and as it was read.
type chunk struct {
	Choices []choice `json:"choices"`
	Usage   usage    `json:"usage"`
}

type choice struct {
	Index  int64  `json:"index"`
	Delta  delta  `json:"delta"`
	Finish string `json:"finish_reason"`
}

type delta struct {
	Content string  `json:"content"`
	Refusal string  `json:"refusal"`
	Calls   []piece `json:"tool_calls"`
}

// piece is a part of a call. Index says of which.
type piece struct {
	Index    int64    `json:"index"`
	ID       string   `json:"id"`
	Function function `json:"function"`
}

type usage struct {
	Prompt     int64 `json:"prompt_tokens"`
	Completion int64 `json:"completion_tokens"`
	Total      int64 `json:"total_tokens"`
}

// UnmarshalJSON reads what is as it should be and passes over the rest: some endpoints put lists or objects of their own
// where the protocol has a text.
func (c *chunk) UnmarshalJSON(b []byte) error {
	type plain chunk
	err := json.Unmarshal(b, (*plain)(c))
	var other *json.UnmarshalTypeError
	if errors.As(err, &other) && other.Field != "" {
		return nil
	}
	return err
}
