package meter

import (
	"encoding/json"

	"gatehouse/agentd/wire"
)

// Usage is what one answer used, in tokens.
type Usage struct {
	Input      int64 // without what the cache gave or took
	Output     int64
	CacheRead  int64
	CacheWrite int64
	EstInput   int64 // the part of Input that was estimated
	EstOutput  int64 // the part of Output that was estimated
	Estimated  bool  // the answer did not say all of it
}

// counts are u as one request.
func (u Usage) counts() wire.UsageCounts {
	c := wire.UsageCounts{
		Requests: 1, Input: u.Input, Output: u.Output, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite,
		EstInput: u.EstInput, EstOutput: u.EstOutput,
	}
	if u.Estimated {
		c.Estimated = 1
	}
	return c
}

// said is the usage object of all protocols: chat completions and embeddings say prompt and completion, the others
// input and output; each has words of its own for the cache.
type said struct {
	Prompt     int64 `json:"prompt_tokens"`
	Completion int64 `json:"completion_tokens"`
	Input      int64 `json:"input_tokens"`
	Output     int64 `json:"output_tokens"`
	CacheRead  int64 `json:"cache_read_input_tokens"`
	CacheWrite int64 `json:"cache_creation_input_tokens"`

	PromptDetails details `json:"prompt_tokens_details"`
	InputDetails  details `json:"input_tokens_details"`
}

type details struct {
	Cached int64 `json:"cached_tokens"`
}

// maxUsed is more than any answer uses of one kind. What says more, or less than nothing, has gone mad or lies, and must
// neither take from what others have used nor make sums that cannot be kept.
const maxUsed = 1 << 30

func used(n int64) int64 { return min(max(n, 0), maxUsed) }

// usage puts it into one form. OpenAI counts what the cache gave as part of the input, Anthropic does not.
func (s said) usage() Usage {
	cached := used(s.PromptDetails.Cached) + used(s.InputDetails.Cached)
	return Usage{
		Input: used(used(s.Prompt) + used(s.Input) - cached), Output: used(used(s.Completion) + used(s.Output)),
		CacheRead: used(used(s.CacheRead) + cached), CacheWrite: used(s.CacheWrite),
	}
}

// answer is a body, or one event of a stream, as far as usage may stand in it.
type answer struct {
	Usage    *said `json:"usage"`
	Response struct {
		Usage *said `json:"usage"` // response.completed
	} `json:"response"`
	Message struct {
		Usage *said `json:"usage"` // message_start: the input, and an output that has only begun
	} `json:"message"`
}

// How much an answer said about what it used.
type knowledge int

const (
	nothing knowledge = iota
	inputOnly
	all
)

// in finds the usage in one body or event.
func in(b []byte) (Usage, knowledge) {
	var a answer
	if json.Unmarshal(b, &a) != nil {
		return Usage{}, nothing
	}
	switch {
	case a.Usage != nil:
		return a.Usage.usage(), all
	case a.Response.Usage != nil:
		return a.Response.Usage.usage(), all
	case a.Message.Usage != nil:
		return a.Message.Usage.usage(), inputOnly
	}
	return Usage{}, nothing
}

// later joins what two events of one answer say. Counts in a stream are cumulative, and an event may leave some out.
func (u Usage) later(v Usage) Usage {
	return Usage{
		Input: max(u.Input, v.Input), Output: max(u.Output, v.Output),
		CacheRead: max(u.CacheRead, v.CacheRead), CacheWrite: max(u.CacheWrite, v.CacheWrite),
	}
}
