package e2e

import (
	"io"
	"os"
	"testing"

	"gatehouse/db/dbtest"
)

// sharedLog is what the cluster that tests share has logged since a hub began to use it.
type sharedLog struct {
	path string
	from int64
}

func openSharedLog(t *testing.T) sharedLog {
	t.Helper()
	path := dbtest.Log(t)
	st, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return sharedLog{path, st.Size()}
}

func (l sharedLog) since() (string, error) {
	f, err := os.Open(l.path)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }() // it was only read
	b, err := io.ReadAll(io.NewSectionReader(f, l.from, 1<<30))
	return string(b), err
}
