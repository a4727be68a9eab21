package signaltest

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"strings"
)

// response is an answer of JSON-RPC.
type response struct {
	Version string   `json:"jsonrpc"`
	Result  any      `json:"result,omitempty"`
	Error   *failure `json:"error,omitempty"`
	ID      any      `json:"id"`
}

type failure struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    any    `json:"data"`
}

// request is a call. Where several are taken, one may stand without a list.
type request struct {
	Version string `json:"jsonrpc"`
	Method  string `json:"method"`
	ID      any    `json:"id"`
	Params  struct {
		Account   string  `json:"account"`
		Recipient several `json:"recipient"`
		GroupID   string  `json:"groupId"`
		Message   string  `json:"message"`
		Edit      int64   `json:"editTimestamp"`
		Quote     int64   `json:"quoteTimestamp"`
		Author    string  `json:"quoteAuthor"`
		ID        string  `json:"id"`
		Type      string  `json:"type"`
		Targets   []int64 `json:"targetTimestamp"`
		Attached  several `json:"attachments"`
	} `json:"params"`
}

// several is a list of texts, or one.
type several []string

// UnmarshalJSON implements json.Unmarshaler.
func (s *several) UnmarshalJSON(raw []byte) error {
	if strings.HasPrefix(string(raw), "[") {
		return json.Unmarshal(raw, (*[]string)(s))
	}
	*s = make([]string, 1)
	return json.Unmarshal(raw, &(*s)[0])
}

// Codes of errors.
const (
	codeUser     = -1
	codeIO       = -3
	codeRequest  = -32600
	codeNoMethod = -32601
	codeParams   = -32602
)

func refused(code int, text string) response {
	return response{Version: "2.0", ID: "1", Error: &failure{Code: code, Message: text}}
}

func (s *Server) rpc(w http.ResponseWriter, r *http.Request) {
	if !strings.HasPrefix(r.Header.Get("Content-Type"), "application/json") {
		w.WriteHeader(http.StatusUnsupportedMediaType)
		return
	}
	var in request
	if json.NewDecoder(r.Body).Decode(&in) != nil || in.Version != "2.0" || in.ID == nil {
		say(w, refused(codeRequest, "method field must be set"))
		return
	}
	s.mu.Lock()
	f, single := s.fault(in.Method), s.single
	s.mu.Unlock()
	do := func() response {
		a := s.answer(in)
		a.Version, a.ID = "2.0", in.ID
		return a
	}
	switch {
	case f != Fault{}:
		s.fail(w, r, f, do)
	case !single && in.Params.Account != Account && in.Method != "version" && in.Method != "listAccounts":
		say(w, refused(codeParams, "Specified account does not exist"))
	default:
		say(w, do())
	}
}

func (s *Server) answer(in request) response {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch in.Method {
	case "version":
		return response{Result: map[string]string{"version": s.version}}
	case "listAccounts":
		if s.single {
			return refused(codeNoMethod, "Method not implemented")
		}
		return response{Result: []any{map[string]string{"number": Account, "aci": AccountID}}}
	}
	if s.unlinked {
		return refused(codeIO, "[401] Authorization failed!")
	}
	switch in.Method {
	case "listDevices":
		return response{Result: []any{map[string]any{"id": 1, "name": nil}}}
	case "send":
		return s.send(in)
	case "sendTyping":
		return response{Result: map[string]any{}}
	case "sendReceipt":
		if len(in.Params.Recipient) != 1 || len(in.Params.Targets) == 0 {
			return refused(codeUser, "Missing parameter")
		}
		s.receipts = append(s.receipts, Receipt{in.Params.Recipient[0], in.Params.Type, in.Params.Targets})
		return response{Result: map[string]any{}}
	case "getAttachment":
		data, there := s.files[in.Params.ID]
		if !there || in.Params.GroupID == "" && len(in.Params.Recipient) != 1 {
			return refused(codeUser, "An error occurred reading attachment")
		}
		return response{Result: map[string]string{"data": base64.StdEncoding.EncodeToString(data)}}
	}
	return refused(codeNoMethod, "Method not implemented")
}

// dataURI is a file within a request, as signal-cli reads it.
var dataURI = regexp.MustCompile(`(?i)^data:([^;,/]+/[^;,]+);filename=([^;,]+);base64,(.+)$`)

// attached reads the files of a message.
func attached(all []string) (files []SentFile, wrong string) {
	for _, one := range all {
		m := dataURI.FindStringSubmatch(one)
		if m == nil {
			return nil, "Attachment not found"
		}
		name, err := url.QueryUnescape(m[2])
		data, err2 := base64.StdEncoding.DecodeString(m[3])
		if err != nil || err2 != nil {
			return nil, "Attachment not found"
		}
		files = append(files, SentFile{Name: name, Kind: m[1], Data: data})
	}
	return files, ""
}

// send takes a message, or changes one. The lock is held.
func (s *Server) send(in request) response {
	p := in.Params
	to := p.GroupID
	if len(p.Recipient) > 0 {
		to = p.Recipient[0]
	}
	if to == "" || p.Message == "" || len(p.Recipient) > 0 && p.GroupID != "" {
		return refused(codeUser, "No recipients given")
	}
	files, wrong := attached(p.Attached)
	if wrong != "" {
		return refused(codeUser, wrong)
	}
	s.clock++
	done := response{Result: map[string]any{"timestamp": s.clock, "results": []any{map[string]any{"type": "SUCCESS"}}}}
	if p.Edit == 0 {
		s.sent = append(s.sent, Sent{
			At: s.clock, To: to, Group: p.GroupID != "", Text: p.Message, Quotes: p.Quote, Author: p.Author, Files: files,
		})
		return done
	}
	for i := range s.sent {
		if was := &s.sent[i]; was.At == p.Edit && was.To == to {
			was.Text = p.Message
			was.Edits++
			return done
		}
	}
	return refused(codeUser, "Invalid edit timestamp")
}
