package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"
)

// answerLimit is how long one answer may take before the bench gives up.
const answerLimit = time.Minute

// conn is one connection of a browser or program to the hub, kept open. It writes and reads HTTP itself: the load
// generator shares the machine with what it measures, so it must cost little.
type conn struct {
	c      net.Conn
	forget func() bool // of the context that closes the connection
	r      *bufio.Reader
	host   string
	header string // what every request carries besides
	buf    []byte
}

// program opens a connection with the API token of the demo's customer.
func (s *Stage) program(ctx context.Context) (*conn, error) {
	return dial(ctx, s.hub.Addr, "Authorization: Bearer "+s.hub.Demo.Customer.APIToken+"\r\nContent-Type: application/json\r\n")
}

// dial opens a connection that closes with ctx, so that a figure ends soon after the bench is told to.
func dial(ctx context.Context, addr, header string) (*conn, error) {
	var d net.Dialer
	c, err := d.DialContext(ctx, "tcp", addr)
	if err != nil {
		return nil, err
	}
	forget := context.AfterFunc(ctx, func() { _ = c.Close() })
	return &conn{c: c, forget: forget, r: bufio.NewReaderSize(c, 64<<10), host: addr, header: header}, nil
}

func (c *conn) Close() {
	c.forget()
	_ = c.c.Close()
}

// request writes one request.
func (c *conn) request(method, path string, body []byte) error {
	c.buf = fmt.Appendf(c.buf[:0], "%s %s HTTP/1.1\r\nHost: %s\r\n%sContent-Length: %d\r\n\r\n%s", method, path, c.host, c.header, len(body), body)
	if err := c.c.SetDeadline(time.Now().Add(answerLimit)); err != nil {
		return err
	}
	_, err := c.c.Write(c.buf)
	return err
}

// do sends a request and reads the whole answer.
func (c *conn) do(method, path string, body []byte, want int) ([]byte, error) {
	if err := c.request(method, path, body); err != nil {
		return nil, fmt.Errorf("%s %s: %w", method, path, err)
	}
	res, err := http.ReadResponse(c.r, nil)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", method, path, err)
	}
	defer func() { _ = res.Body.Close() }()
	got, err := io.ReadAll(res.Body)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", method, path, err)
	}
	if res.StatusCode != want {
		return nil, fmt.Errorf("%s %s: status %d instead of %d: %.300s", method, path, res.StatusCode, want, got)
	}
	return got, nil
}

// ask sends in as JSON and reads the answer into out.
func (c *conn) ask(method, path string, in any, want int, out any) error {
	body, err := json.Marshal(in)
	if err != nil {
		return err
	}
	got, err := c.do(method, path, body, want)
	if err != nil || out == nil {
		return err
	}
	return json.Unmarshal(got, out)
}

// follow reads server-sent events from path until the stream ends.
func (c *conn) follow(path string, see func(event string, data []byte)) error {
	if err := c.request(http.MethodGet, path, nil); err != nil {
		return err
	}
	res, err := http.ReadResponse(c.r, nil)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(res.Body) // only for the error
		return fmt.Errorf("follow %s: status %d: %.300s", path, res.StatusCode, text)
	}
	return events(res.Body, see)
}

func events(body io.Reader, see func(event string, data []byte)) error {
	lines := bufio.NewScanner(body)
	lines.Buffer(make([]byte, 0, 16<<10), 4<<20)
	var name string
	for lines.Scan() {
		if v, ok := bytes.CutPrefix(lines.Bytes(), []byte("event: ")); ok {
			name = string(v)
		}
		if v, ok := bytes.CutPrefix(lines.Bytes(), []byte("data: ")); ok {
			see(name, v)
		}
	}
	return lines.Err()
}
