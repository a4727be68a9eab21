package telegramtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
)

// call are the parameters of a call, which may come in any of the forms that the Bot API takes.
type call struct {
	values map[string]string
	files  map[string]upload // by field
}

// upload is a file that a call brings.
type upload struct {
	name string
	data []byte
}

func (c call) int(name string) int64 {
	n, _ := strconv.ParseInt(c.values[name], 10, 64) // what is no number is not there
	return n
}

const maxUpload = 50 << 20 // of a bot, as documented

func read(r *http.Request) (call, error) {
	c := call{values: map[string]string{}, files: map[string]upload{}}
	for name, all := range r.URL.Query() {
		c.values[name] = all[0]
	}
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")) // none is a call without parameters
	switch kind {
	case "application/json":
		return c, c.json(r.Body)
	case "multipart/form-data":
		return c, c.form(r)
	case "application/x-www-form-urlencoded":
		if err := r.ParseForm(); err != nil {
			return c, err
		}
		for name, all := range r.PostForm {
			c.values[name] = all[0]
		}
	}
	return c, nil
}

func (c call) json(body io.Reader) error {
	var all map[string]json.RawMessage
	if err := json.NewDecoder(body).Decode(&all); err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("can't parse JSON object: %w", err)
	}
	for name, raw := range all {
		var text string
		if json.Unmarshal(raw, &text) != nil {
			text = string(raw)
		}
		c.values[name] = text
	}
	return nil
}

func (c call) form(r *http.Request) error {
	parts, err := r.MultipartReader()
	if err != nil {
		return err
	}
	for {
		p, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			if strings.Contains(err.Error(), "NextPart: EOF") { // a form without fields
				return nil
			}
			return err
		}
		data, err := io.ReadAll(io.LimitReader(p, maxUpload+1))
		switch {
		case err != nil:
			return err
		case len(data) > maxUpload:
			return errors.New("file is too big")
		case p.FileName() != "":
			c.files[p.FormName()] = upload{p.FileName(), data}
		default:
			c.values[p.FormName()] = string(data)
		}
	}
}
