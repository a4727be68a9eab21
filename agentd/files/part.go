package files

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"

	"gatehouse/agentd/taint"
	"gatehouse/agentd/tool"
	"gatehouse/agentd/tools/dataroot"
	"gatehouse/agentd/tools/version"
	"gatehouse/agentd/wire"
)

// errPart refuses a stretch that is not what was signed for.
var errPart = &wire.RPCError{
	Code: "conflict", Text: "What arrived is not what you sent. It was thrown away; the upload goes on from there.",
}

// part takes one stretch of an upload: sealed to this server, and with the hash that the person's signature stands for.
func (f *Files) part(ctx context.Context, p wire.FilePartIn) (wire.FileUploading, error) {
	f.uploading.Lock()
	defer f.uploading.Unlock()
	u, err := f.uploadOf(p.ID)
	if err != nil {
		return wire.FileUploading{}, err
	}
	at, err := f.state(u)
	if err != nil || p.Index < at.Next {
		return at, err // it came twice
	}
	if p.Index != at.Next || at.Next >= int64(len(u.Parts)) {
		return at, &wire.RPCError{Code: "bad_request", Text: "A stretch of the file is missing before this one."}
	}
	key, _, err := f.d.Keys.BoxKey(ctx)
	if err != nil {
		return at, err
	}
	offset := p.Index * wire.FilePartSize
	plain, err := wire.OpenFile(key, wire.FilePurpose{
		Method: wire.MethodFilesPart, ServerID: f.d.ServerID(), Name: p.ID, Version: u.Parts[p.Index], Offset: offset,
	}, p.Box)
	if errors.Is(err, wire.ErrSealed) || err == nil && !isPart(u, p.Index, plain) {
		return at, errPart
	}
	if err != nil {
		return at, err
	}
	if err := f.append(p.ID, plain, offset); err != nil {
		return at, err
	}
	at.Next++
	return at, nil
}

// isPart says whether a stretch is the one that was signed for.
func isPart(u upload, index int64, plain []byte) bool {
	sum := sha256.Sum256(plain)
	want := min(wire.FilePartSize, u.Act.Size-index*wire.FilePartSize)
	return int64(len(plain)) == want && hex.EncodeToString(sum[:]) == u.Parts[index]
}

// append writes a stretch behind those before it.
func (f *Files) append(id string, plain []byte, offset int64) error {
	w, err := os.OpenFile(f.uploadPath(id, "data"), os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("keep part: %w", err)
	}
	_, err = w.WriteAt(plain, offset)
	if err = errors.Join(err, w.Close()); err != nil {
		return fmt.Errorf("keep part: %w", errors.Join(err, os.Truncate(f.uploadPath(id, "data"), offset)))
	}
	return nil
}

// finish puts an upload in its place, once all of it is there and its hash is the one that was signed for.
func (f *Files) finish(ctx context.Context, p wire.FileFinish) (wire.FileInfo, error) {
	return f.outlast(ctx, func(ctx context.Context) (wire.FileInfo, error) { return f.finishNow(ctx, p.ID) })
}

func (f *Files) finishNow(ctx context.Context, id string) (wire.FileInfo, error) {
	f.uploading.Lock()
	defer f.uploading.Unlock()
	u, err := f.uploadOf(id)
	if err != nil {
		return wire.FileInfo{}, err
	}
	if u.Done {
		return f.infoAfter(did{u.Act.Path, u.Unkept}), nil
	}
	at, err := f.state(u)
	if err != nil {
		return wire.FileInfo{}, err
	}
	if at.Next < int64(len(u.Parts)) {
		return wire.FileInfo{}, &wire.RPCError{Code: "bad_request", Text: "The file has not arrived whole yet."}
	}
	d, err := f.alone(func() (did, error) { return f.place(ctx, u) })
	if err != nil {
		if hopeless(err) {
			err = errors.Join(err, os.RemoveAll(f.uploadPath(id)))
		}
		return wire.FileInfo{}, f.failed(ctx, u.Act, err)
	}
	u.Done, u.Parts, u.Unkept = true, nil, d.unkept
	if err := errors.Join(f.keepUpload(u), os.RemoveAll(f.uploadPath(id, "data"))); err != nil {
		f.d.Log.WarnContext(ctx, "upload not cleared away", "act", id, "error", err)
	}
	return f.infoAfter(d), nil
}

// hopeless says whether an upload can never take its place: what arrived is not what was signed for, or what it would replace
// is not what the person saw. A disk that is full or fails may be mended, and the upload goes on.
func hopeless(err error) bool {
	no := new(tool.Refused)
	return errors.As(err, &no) && !dataroot.Failed(err)
}

// place copies what has arrived beside its target, checks every stretch of it once more, and renames it. It makes the folders
// that are missing.
func (f *Files) place(ctx context.Context, u upload) (did, error) {
	s, err := f.spotIn(u.Act.Path, f.d.Root.MakeFolder)
	if err != nil {
		return did{}, err
	}
	defer s.Close()
	if err := f.as(s.rel(), u.Act.Before); err != nil {
		if whole, ok := f.landed(u, s); ok { // a crash came before it was on record
			return f.placed(ctx, u, s, whole, f.isKept(u))
		}
		return did{}, err
	}
	temp := tempPrefix + u.Act.ID
	w, err := s.Create(temp)
	if err != nil {
		return did{}, err
	}
	whole, err := f.checked(ctx, u, w)
	kept := true
	if err == nil && u.Act.Before != "" {
		kept, err = f.keep(ctx, version.Kept{
			ID: u.Act.ID, By: u.By.Name, Did: string(wire.FileChanged), Path: s.rel(), After: whole,
		})
	}
	if err != nil {
		return did{}, errors.Join(err, w.Close(), s.Remove(temp))
	}
	if err := f.settle(ctx, u, s, w, temp); err != nil {
		return did{}, f.notDone(ctx, u.Act, err)
	}
	return f.placed(ctx, u, s, whole, kept)
}

// landed says whether the upload stands in its place already, and gives the hash of the whole.
func (f *Files) landed(u upload, s spot) (string, bool) {
	file, info, err := f.d.Root.Open(s.rel())
	if err != nil {
		return "", false
	}
	defer file.Close()
	if info.Size() != u.Act.Size {
		return "", false
	}
	whole, part := sha256.New(), make([]byte, wire.FilePartSize)
	for i := range int64(len(u.Parts)) {
		n, err := io.ReadFull(file, part[:min(wire.FilePartSize, u.Act.Size-i*wire.FilePartSize)])
		if err != nil || !isPart(u, i, part[:n]) {
			return "", false
		}
		whole.Write(part[:n])
	}
	return hex.EncodeToString(whole.Sum(nil)), true
}

// isKept says whether what an upload has replaced is kept.
func (f *Files) isKept(u upload) bool {
	_, err := f.d.Versions.Get(u.Act.ID)
	return err == nil || u.Act.Before == ""
}

// placed puts on record that an upload is in its place.
func (f *Files) placed(ctx context.Context, u upload, s spot, whole string, kept bool) (did, error) {
	if err := f.d.Versions.Left(u.Act.ID, f.present(s.rel())); err != nil { // then it counts as changed since
		f.d.Log.WarnContext(ctx, "what took the place of a kept file is not noted", "act", u.Act.ID, "error", err)
	}
	more := map[string]any{
		"bytes": u.Act.Size, "sha256": whole, "own": u.Act.Own, "replaced": u.Act.Before != "", "kept": kept, "by": u.By,
	}
	return did{s.rel(), !kept}, f.did(ctx, u.Act, more, func(tx *sql.Tx) error {
		return taint.Uploaded(f.d.DB, tx, s.rel(), u.Act.Own, f.d.Now())
	})
}

// settle gives a whole upload its name. It is marked before that: a crash in between leaves nothing unmarked.
func (f *Files) settle(ctx context.Context, u upload, s spot, w *os.File, temp string) error {
	mark := func(how func(tx *sql.Tx) error) error { return f.d.DB.Write(ctx, how) }
	err := mark(func(tx *sql.Tx) error { return taint.Uploading(f.d.DB, tx, u.Act.ID, s.rel(), u.Act.Own, f.d.Now()) })
	if err != nil {
		return errors.Join(err, w.Close(), s.Remove(temp))
	}
	if err := s.Put(w, temp, s.name, 0o644); err != nil {
		return errors.Join(err, mark(func(tx *sql.Tx) error {
			return taint.NotUploaded(f.d.DB, tx, u.Act.ID, s.rel(), f.d.Now())
		}))
	}
	return nil
}

// checked copies what has arrived and gives the hash of the whole.
func (f *Files) checked(ctx context.Context, u upload, to io.Writer) (string, error) {
	from, err := os.Open(f.uploadPath(u.Act.ID, "data"))
	if errors.Is(err, os.ErrNotExist) && u.Act.Size == 0 {
		sum := sha256.Sum256(nil)
		return hex.EncodeToString(sum[:]), nil
	}
	if err != nil {
		return "", fmt.Errorf("read upload: %w", err)
	}
	defer from.Close()
	whole, part := sha256.New(), make([]byte, wire.FilePartSize)
	for i := range int64(len(u.Parts)) {
		n, err := io.ReadFull(from, part[:min(wire.FilePartSize, u.Act.Size-i*wire.FilePartSize)])
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		if err != nil || !isPart(u, i, part[:n]) {
			return "", tool.Refuse("The file did not arrive whole, so it was thrown away. Upload it again.")
		}
		whole.Write(part[:n])
		if _, err := to.Write(part[:n]); err != nil {
			return "", dataroot.Explain(u.Act.Path, err)
		}
	}
	return hex.EncodeToString(whole.Sum(nil)), nil
}
