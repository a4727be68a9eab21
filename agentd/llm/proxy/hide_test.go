package proxy

import (
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// TestHiding: whatever the pieces are in which a stream comes, the piece that says what was used is gone, and all else is there.
func TestHiding(t *testing.T) {
	t.Parallel()
	const usage = `"usage":{"prompt_tokens":1}`
	long := "data: {\"choices\":[],\"x\":\"" + strings.Repeat("x", 2*maxHidden) + "\"," + usage + "}\n\n"
	for name, c := range map[string]struct{ in, want string }{
		"at the end": {
			"data: {\"choices\":[{}]}\n\ndata: {\"choices\":[]," + usage + "}\n\ndata: [DONE]\n\n",
			"data: {\"choices\":[{}]}\n\ndata: [DONE]\n\n",
		},
		"with carriage returns": {"data: {\"choices\":[]," + usage + "}\r\n\r\ndata: [DONE]\r\n\r\n", "data: [DONE]\r\n\r\n"},
		"the last of all":       {"data: 1\n\ndata: {\"choices\":[]," + usage + "}\n\n", "data: 1\n\n"},
		"no empty line":         {"data: {" + usage + "}\ndata: 2\n", "data: 2\n"},
		"with words":            {"data: {\"choices\":[{}]," + usage + "}\n\n", "data: {\"choices\":[{}]," + usage + "}\n\n"},
		"null":                  {"data: {\"choices\":[],\"usage\":null}\n\n", "data: {\"choices\":[],\"usage\":null}\n\n"},
		"no JSON":               {"data: \"usage\" {\n\n", "data: \"usage\" {\n\n"},
		"a comment":             {": usage\n\nevent: x\ndata: 1\n\n", ": usage\n\nevent: x\ndata: 1\n\n"},
		"cut off":               {"data: {\"choices\":[],\"usa", "data: {\"choices\":[],\"usa"},
		"nothing":               {"", ""},
		"longer than is held":   {long + "data: 1\n\n", long + "data: 1\n\n"},
	} {
		in := func() io.Reader { return strings.NewReader(c.in) }
		for _, r := range []io.Reader{in(), iotest.OneByteReader(in()), iotest.DataErrReader(in())} {
			got, err := io.ReadAll(&hiding{from: r})
			if err != nil || string(got) != c.want {
				t.Errorf("%s: %.200q, %v", name, got, err)
			}
		}
	}
	broken := iotest.TimeoutReader(strings.NewReader(strings.Repeat("data: 1\n", 4000)))
	if _, err := io.ReadAll(&hiding{from: broken}); err == nil {
		t.Error("an answer that broke off looks whole")
	}
}
