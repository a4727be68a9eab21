package proxy

import (
	"fmt"
	"net/http"
	"strconv"

	"gatehouse/agentd/llm/jsontree"
	"gatehouse/agentd/llm/profile"
)

const (
	// usualOutput is how long an answer may become, in tokens, whose request names no limit.
	usualOutput = 16384
	// leastOutput is the shortest limit that is put into a request: answers below are of little use.
	leastOutput = 1024
	// mostWritten is more than models write in one answer; who names more gets this.
	mostWritten = 1 << 18
	// mostAnswers is how many answers a request may ask for at once. Providers allow fewer.
	mostAnswers = 1024
)

// namedOutput are the members of a request that limit its answer, by endpoint: the first is the newer one.
var namedOutput = map[string][]string{
	"/v1/chat/completions": {newLimit, oldLimit},
	"/v1/responses":        {"max_output_tokens"},
	"/v1/messages":         {oldLimit},
}

// What chat completions call the limit. Some models of OpenAI refuse the old word, some other endpoints do not know the new one.
const (
	newLimit = "max_completion_tokens"
	oldLimit = "max_tokens"
)

// limit is how long the request lets one answer become, in tokens; 0 when it does not say. Where it names two limits, an endpoint may
// go by either.
func (c *call) limit() (most int64) {
	for _, name := range namedOutput[c.path] {
		most = max(most, c.number(name))
	}
	return min(most, mostWritten)
}

// answers is how many are asked for at once.
func (c *call) answers() int64 { return max(c.number("n"), 1) }

// countable refuses a request that does not say plainly how many answers it asks for: an endpoint may read the number where the
// budget does not.
func (c *call) countable() *fault {
	v := c.root.Get("n")
	if v == nil || v.Kind == jsontree.Null {
		return nil
	}
	if n := c.number("n"); n < 1 || n > mostAnswers {
		says := fmt.Sprintf(`"n" must be a whole number from 1 to %d, written as digits alone.`, mostAnswers)
		return &fault{http.StatusBadRequest, "n", says}
	}
	return nil
}

// silent says that no model writes anything.
func (c *call) silent() bool { return len(namedOutput[c.path]) == 0 }

// number is a positive whole number of the request; 0 when it has none of that name.
func (c *call) number(name string) int64 {
	v := c.root.Get(name)
	if v == nil || v.Kind != jsontree.Number {
		return 0
	}
	n, err := strconv.ParseInt(v.Text, 10, 64)
	if err != nil {
		return 0
	}
	return max(n, 0)
}

// limited is the request with a limit in it, so that what was reserved is the most that an answer can use. Limits that it names stay
// as they are; those that are no number, or beyond all, become this one.
func (c *call) limited(root *jsontree.Value, to profile.Candidate, as shape, output int64) *jsontree.Value {
	names := namedOutput[c.path]
	if output == 0 || len(names) == 0 {
		return root
	}
	limit := &jsontree.Value{Kind: jsontree.Number, Text: strconv.FormatInt(output, 10)}
	some := false
	for _, name := range names {
		v := root.Get(name)
		if v == nil || v.Kind == jsontree.Null {
			continue
		}
		if n := c.number(name); n == 0 || n > mostWritten {
			root = root.With(name, limit)
		}
		some = true
	}
	if some {
		return root
	}
	return root.With(as.word(c, to), limit)
}

// adds is the limit that limited puts in; 0: none.
func (c *call) adds(output int64) int64 {
	if c.silent() || c.limit() > 0 {
		return 0
	}
	return output
}

// told is the request with the wish that a stream says at its end what it used, and whether the caller had no such wish.
func (c *call) told(root *jsontree.Value, as shape) (_ *jsontree.Value, hidden bool) {
	if !c.stream || c.path != "/v1/chat/completions" || as.noUsage {
		return root, false
	}
	options := root.Get("stream_options")
	if options == nil || options.Kind != jsontree.Object {
		options = &jsontree.Value{Kind: jsontree.Object}
	}
	if v := options.Get("include_usage"); v != nil && v.Kind == jsontree.True {
		return root, false
	}
	return root.With("stream_options", options.With("include_usage", &jsontree.Value{Kind: jsontree.True})), true
}
