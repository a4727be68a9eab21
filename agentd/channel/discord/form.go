package discord

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"strings"

	"gatehouse/agentd/channel"
)

// attached names a file of a message, as Discord wants it beside the message.
type attached struct {
	ID   int    `json:"id"`
	Name string `json:"filename"`
}

// namesOf are the files of a message.
func namesOf(files []channel.File) (all []attached) {
	for i, f := range files {
		all = append(all, attached{i, f.Name})
	}
	return all
}

// encoded is the body of a request and its kind: JSON, or a form where files go with a message.
func encoded(body any) (io.Reader, string, error) {
	if body == nil {
		return http.NoBody, "", nil
	}
	raw, err := json.Marshal(body)
	if err != nil {
		return nil, "", err
	}
	m, is := body.(outgoing)
	if !is || len(m.files) == 0 {
		return bytes.NewReader(raw), "application/json", nil
	}
	var all bytes.Buffer
	form := multipart.NewWriter(&all)
	if err := part(form, `name="payload_json"`, "application/json", raw); err != nil {
		return nil, "", err
	}
	for i, f := range m.files {
		name := strings.NewReplacer(`\`, "_", `"`, "_", "\r", "_", "\n", "_").Replace(f.Name)
		if err := part(form, fmt.Sprintf(`name="files[%d]"; filename="%s"`, i, name), "application/octet-stream", f.Data); err != nil {
			return nil, "", err
		}
	}
	if err := form.Close(); err != nil {
		return nil, "", err
	}
	return &all, form.FormDataContentType(), nil
}

func part(form *multipart.Writer, names, kind string, data []byte) error {
	w, err := form.CreatePart(textproto.MIMEHeader{"Content-Disposition": {"form-data; " + names}, "Content-Type": {kind}})
	if err == nil {
		_, err = w.Write(data)
	}
	return err
}
