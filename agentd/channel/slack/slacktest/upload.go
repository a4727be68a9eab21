package slacktest

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
)

// upload is a file that Slack waits for, has, or has shared.
type upload struct {
	name   string
	length int
	data   []byte
	came   bool
	shared bool
}

// beginUpload says where a file goes. The lock is held.
func (s *Server) beginUpload(form url.Values) answer {
	n, err := strconv.Atoi(form.Get("length"))
	if err != nil || n < 1 || form.Get("filename") == "" {
		return refusal("invalid_arguments")
	}
	id := "FUP" + strconv.Itoa(len(s.uploads)+1)
	s.uploads[id] = &upload{name: form.Get("filename"), length: n}
	return fine(map[string]any{"upload_url": s.URL + "/upload/v1/" + id, "file_id": id})
}

// takeUpload takes the bytes of a file. Giving them there is the method "upload". Who has the address needs no token, and shows none.
func (s *Server) takeUpload(w http.ResponseWriter, r *http.Request) {
	data, err := io.ReadAll(r.Body)
	s.mu.Lock()
	f, u := s.fault("upload"), s.uploads[path.Base(r.URL.Path)]
	keep := func() answer {
		if u != nil && err == nil && len(data) == u.length {
			u.data, u.came = data, true
		}
		return fine(map[string]any{})
	}
	if (f == Fault{}) {
		keep()
	}
	came := u != nil && u.came
	s.mu.Unlock()
	switch {
	case r.Header.Get("Authorization") != "": // the token has no business there
		http.Error(w, "", http.StatusTeapot)
	case f != Fault{}:
		s.fail(w, r, f, func() answer {
			s.mu.Lock()
			defer s.mu.Unlock()
			return keep()
		})
	case !came:
		http.Error(w, "", http.StatusBadRequest)
	default:
		_, _ = w.Write([]byte("OK - " + strconv.Itoa(len(data)))) // whoever asked may be gone
	}
}

// share shows files that came in a channel. The lock is held.
func (s *Server) share(form url.Values) answer {
	var all []struct {
		ID    string `json:"id"`
		Title string `json:"title"`
	}
	to := form.Get("channel_id")
	if json.Unmarshal([]byte(form.Get("files")), &all) != nil || len(all) == 0 {
		return refusal("invalid_arguments")
	}
	if !strings.HasPrefix(to, "D") && !strings.HasPrefix(to, "C") {
		return refusal("channel_not_found")
	}
	m := Sent{Channel: to, Thread: form.Get("thread_ts"), Text: form.Get("initial_comment"), Quiet: true}
	for _, one := range all {
		u := s.uploads[one.ID]
		if u == nil || !u.came || u.shared {
			return refusal("file_not_found")
		}
		u.shared = true
		m.Files = append(m.Files, SentFile{one.Title, u.data})
	}
	m.At = s.now()
	s.sent = append(s.sent, m)
	return fine(map[string]any{"files": all})
}

// Unshared is how many files came that nobody sees.
func (s *Server) Unshared() (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, u := range s.uploads {
		if u.came && !u.shared {
			n++
		}
	}
	return n
}
