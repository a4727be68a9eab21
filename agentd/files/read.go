package files

import (
	"context"
	"errors"
	"fmt"
	"io"

	"gatehouse/agentd/wire"
)

// errChanged ends a download whose file is no longer the one that it began with.
var errChanged = &wire.RPCError{
	Code: "conflict", Text: "This file was changed while it was being downloaded. Start again to get it as it is now.",
}

// read answers a stretch of a file, sealed to the browser that asks.
func (f *Files) read(_ context.Context, p wire.FileRead) (wire.Boxed, error) {
	rel, file, info, err := f.open(p.Path)
	if err != nil {
		return wire.Boxed{}, err
	}
	defer file.Close()
	if versionOf(info) != p.Version {
		return wire.Boxed{}, errChanged
	}
	if p.Offset < 0 || p.Offset > info.Size() {
		return wire.Boxed{}, &wire.RPCError{Code: "bad_request", Text: "The file is shorter than that. Reload the page."}
	}
	part := make([]byte, min(wire.FilePartSize, info.Size()-p.Offset))
	n, err := file.ReadAt(part, p.Offset)
	if errors.Is(err, io.EOF) && n < len(part) {
		return wire.Boxed{}, errChanged
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return wire.Boxed{}, fmt.Errorf("read %s: %w", rel, err)
	}
	box, err := wire.SealFile(p.ReplyKey, wire.FilePurpose{
		Method: wire.MethodFilesRead, ServerID: f.d.ServerID(), Name: p.Path, Version: p.Version, Offset: p.Offset,
	}, part)
	return wire.Boxed{Result: wire.FilePart{Size: info.Size()}, Box: box}, err
}
