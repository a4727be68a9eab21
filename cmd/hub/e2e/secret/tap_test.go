package secret

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync"
	"testing"

	"gatehouse/cmd/hub/e2e"
)

// tap is a proxy in front of a hub that keeps everything that browsers and servers send to it: addresses, headers, bodies
// and the messages of websockets. It lets nobody agree on packing messages, and so has them as they were said.
type tap struct {
	env []string

	mu    sync.Mutex
	said  map[string]bool // addresses, headers and bodies; most come again and again
	lines []*frames
}

func newTap(t *testing.T) *tap {
	t.Helper()
	target := e2e.FreeAddress(t)
	w := &tap{said: map[string]bool{}}
	front := w.front(t, target)
	_, port, _ := net.SplitHostPort(front) // it has one
	w.env = []string{"HUB_ADDR=" + target, "HUB_PUBLIC_URL=http://localhost:" + port, "AGENTD_BIN=" + e2e.AgentdVia(t, "http://"+front)}
	return w
}

// front starts the proxy before target and gives its address.
func (w *tap) front(t *testing.T, target string) string {
	proxy := &httputil.ReverseProxy{
		FlushInterval: -1, // streams are read as they come
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(&url.URL{Scheme: "http", Host: target})
			r.Out.Host = r.In.Host
			r.Out.Header.Del("Sec-WebSocket-Extensions")
		},
		ModifyResponse: w.listen,
		ErrorHandler: func(rw http.ResponseWriter, _ *http.Request, _ error) {
			rw.WriteHeader(http.StatusBadGateway) // the hub is not there, or the caller has left
		},
	}
	srv := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // who breaks off has not asked
		}
		w.hear(r, body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		proxy.ServeHTTP(rw, r)
	}))
	t.Cleanup(srv.CloseClientConnections) // streams and links last as long as anybody wants them
	return srv.Listener.Addr().String()
}

// hear keeps a request.
func (w *tap) hear(r *http.Request, body []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.said[r.Method+" "+r.RequestURI] = true
	for name, values := range r.Header {
		for _, v := range values {
			w.said[name+": "+v] = true
		}
	}
	w.said[string(body)] = true
}

// listen keeps what is sent over a connection that became a websocket.
func (w *tap) listen(res *http.Response) error {
	if res.StatusCode != http.StatusSwitchingProtocols {
		return nil
	}
	line, ok := res.Body.(io.ReadWriteCloser)
	if !ok {
		return errors.New("a websocket that cannot be written to")
	}
	f := &frames{ReadWriteCloser: line}
	w.mu.Lock()
	w.lines = append(w.lines, f)
	w.mu.Unlock()
	res.Body = f
	return nil
}

// everything is what was sent so far, each once: requests in pieces, and the messages of websockets.
func (w *tap) everything(t *testing.T) (requests, messages [][]byte) {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	for text := range w.said {
		requests = append(requests, []byte(text))
	}
	for _, f := range w.lines {
		got, err := f.messages()
		if err != nil {
			t.Fatal(err)
		}
		messages = append(messages, got...)
	}
	return requests, messages
}

// frames are one direction of a websocket, from the caller to the hub.
type frames struct {
	io.ReadWriteCloser

	mu  sync.Mutex
	all bytes.Buffer
}

// Write passes on what the caller says.
func (f *frames) Write(b []byte) (int, error) {
	f.mu.Lock()
	f.all.Write(b)
	f.mu.Unlock()
	return f.ReadWriteCloser.Write(b)
}

// messages undoes the masks and joins what was sent in parts. The last one may have come in half.
func (f *frames) messages() (all [][]byte, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var message []byte
	for b := f.all.Bytes(); ; {
		head, payload, rest, whole := cutFrame(b)
		switch {
		case !whole:
			return all, nil
		case head&0x70 != 0:
			return nil, errors.New("a frame of a websocket is packed")
		}
		if message, b = append(message, payload...), rest; head&0x80 != 0 {
			all, message = append(all, message), nil
		}
	}
}

// cutFrame takes the first frame off b: RFC 6455, section 5.2.
func cutFrame(b []byte) (head byte, payload, rest []byte, whole bool) {
	if len(b) < 2 {
		return 0, nil, nil, false
	}
	head, n, at := b[0], uint64(b[1]&0x7f), 2
	for code, wide := range map[uint64]int{126: 2, 127: 8} {
		if uint64(b[1]&0x7f) != code {
			continue
		}
		if at = 2 + wide; len(b) < at {
			return 0, nil, nil, false
		}
		n = binary.BigEndian.Uint64(append(make([]byte, 8-wide), b[2:at]...))
	}
	var mask [4]byte
	if b[1]&0x80 != 0 {
		at += copy(mask[:], b[at:])
	}
	if at > len(b) || uint64(len(b)-at) < n {
		return 0, nil, nil, false
	}
	payload = bytes.Clone(b[at:][:n])
	for i := range payload {
		payload[i] ^= mask[i%4]
	}
	return head, payload, b[at:][n:], true
}
