package runtime

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"gatehouse/agentd/redact"
	"gatehouse/agentd/runtime/answer"
	"gatehouse/agentd/wire"
)

// Shelf knows the files of the business; agentd/files.Files is one.
type Shelf interface {
	// Plain gives the clean name, beneath the data folder, of a plain file that people may look at. Its error says that there
	// is none.
	Plain(name string) (string, error)
}

// bare is a Shelf with nothing on it.
type bare struct{}

// Plain implements Shelf.
func (bare) Plain(name string) (string, error) { return "", fmt.Errorf("no file %q", name) }

// checkNames refuses names of files that no run could work with, whatever lies in the data folder.
func checkNames(files []string) error {
	if len(files) > wire.MaxFiles {
		const many = "A message can have at most %d files. Nothing was sent."
		return &wire.RPCError{Code: "bad_request", Text: fmt.Sprintf(many, wire.MaxFiles)}
	}
	if slices.ContainsFunc(files, func(name string) bool { return redact.Text(name) != name }) {
		const secret = "The name of a file looks like a password or a key. Nothing was sent. Rename the file, then attach it again."
		return &wire.RPCError{Code: "bad_request", Text: secret}
	}
	return nil
}

// missingFile finds the first of these files that is none of the business's. A name that is not clean is none.
func (r *Runtime) missingFile(files []string) (name string, missing bool) {
	i := slices.IndexFunc(files, func(name string) bool {
		rel, err := r.shelf.Plain(name)
		return err != nil || rel != name
	})
	if i < 0 {
		return "", false
	}
	return path.Base(files[i]), true
}

// checkFiles refuses a message with a file that is not there.
func (r *Runtime) checkFiles(files []string) error {
	name, missing := r.missingFile(files)
	if !missing {
		return nil
	}
	const gone = "%s is not among the files on your server. Nothing was sent. Remove it from the message, or attach it again."
	return &wire.RPCError{Code: "conflict", Text: fmt.Sprintf(gone, name)}
}

// goneFile ends a run whose message waited for this server so long that a file of it is gone. A run that goes on after a
// restart may have moved the file itself.
func (r *run) goneFile() error {
	name, missing := r.rt.missingFile(r.attached)
	if !missing || r.resumed {
		return nil
	}
	const gone = "%s is not among the files on your server. Your message is kept; attach the file again."
	return &refusedError{"An attached file is not there", fmt.Sprintf(gone, name)}
}

// withFiles is a message as the model reads it: its files stand on a line of their own, quoted, for a name may say anything.
func withFiles(text string, files []string) string {
	if len(files) == 0 {
		return text
	}
	names := make([]string, len(files))
	for i, name := range files {
		names[i] = strconv.Quote(name)
	}
	return text + "\n\n[Attached by the person, paths in the data folder: " + strings.Join(names, ", ") + "]"
}

// filesColumn is how the files of a message stand in the table.
func filesColumn(files []string) string {
	if len(files) == 0 {
		return ""
	}
	return toJSON(files)
}

func filesOf(column string) ([]string, error) {
	var files []string
	if column == "" {
		return nil, nil
	}
	if err := json.Unmarshal([]byte(column), &files); err != nil {
		return nil, fmt.Errorf("files of a message: %w", err)
	}
	return files, nil
}

// offered are the files of the business that an answer names.
func (r *Runtime) offered(text string) []string {
	var files []string
	for _, name := range answer.Paths(text) {
		rel, err := r.shelf.Plain(name)
		if err != nil || slices.Contains(files, rel) || redact.Text(rel) != rel {
			continue
		}
		if files = append(files, rel); len(files) == wire.MaxFiles {
			break
		}
	}
	return files
}
