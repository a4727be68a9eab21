package taint

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"gatehouse/agentd/policy"
)

// SourceUpload is the source of what a person has uploaded without saying that it is their own.
const SourceUpload = "upload"

// Keep saves the marks of files under the id of a change that is about to delete or replace them, so that they come back with
// what is put back, however late.
func Keep(ctx context.Context, s Store, id string, files []string, at time.Time) error {
	if err := s.Write(ctx, func(tx *sql.Tx) error { return saveMarks(s, tx, id, files, at) }); err != nil {
		return fmt.Errorf("keep marks of %s: %w", id, err)
	}
	return nil
}

// Uploading marks the place of an upload just before the file takes it: a crash in between leaves one that is marked too
// much, never too little. The marks of the file that is there are saved.
func Uploading(s Store, tx *sql.Tx, id, file string, own bool, at time.Time) error {
	if err := saveMarks(s, tx, id, []string{file}, at); err != nil || own {
		return err
	}
	return setMarks(s, tx, []string{file}, []policy.Source{{Source: SourceUpload, ID: file}}, at)
}

// Uploaded marks a file that a person has uploaded as content from outside, unless it is their own. The marks of what it
// replaced go.
func Uploaded(s Store, tx *sql.Tx, file string, own bool, at time.Time) error {
	if err := dropAll(s, tx, file); err != nil || own {
		return err
	}
	return setMarks(s, tx, []string{file}, []policy.Source{{Source: SourceUpload, ID: file}}, at)
}

// NotUploaded gives a file back the marks that it had before Uploading: the upload did not take its place.
func NotUploaded(s Store, tx *sql.Tx, id, file string, at time.Time) error {
	if err := dropAll(s, tx, file); err != nil {
		return err
	}
	return restoreMarks(s, tx, id, []string{file}, at)
}

// Received marks a file that came from outside, just before anybody can read it.
func Received(s Store, tx *sql.Tx, file string, by policy.Source, at time.Time) error {
	return setMarks(s, tx, []string{file}, []policy.Source{by}, at)
}

func dropAll(s Store, tx *sql.Tx, file string) error {
	return exec(s, tx, "unmark file", "DELETE FROM derived_files WHERE path = ?", file)
}

// inOrAt picks a path, and all in it when it is a folder.
const inOrAt = "(path = ?1 OR substr(path, 1, length(?1) + 1) = ?1 || '/')"

// Moving marks the new name of a file or a folder like the old one, just before it is moved. What is on record of files that
// had this name before goes.
func Moving(s Store, tx *sql.Tx, from, to string) error {
	if err := exec(s, tx, "unmark new name", "DELETE FROM derived_files WHERE "+inOrAt, to); err != nil {
		return err
	}
	return exec(s, tx, "mark new name", `INSERT OR REPLACE INTO derived_files (path, source, ref, at)
		SELECT ?2 || substr(path, length(?1) + 1), source, ref, at FROM derived_files WHERE `+inOrAt, from, to)
}

// Moved drops the marks of the old name of a file or a folder.
func Moved(s Store, tx *sql.Tx, from string) error {
	return exec(s, tx, "unmark old name", "DELETE FROM derived_files WHERE "+inOrAt, from)
}

// Restored gives files that a person puts back the marks that they had before a change. It is called before they are there.
func Restored(s Store, tx *sql.Tx, id, of string, files []string, at time.Time) error {
	if err := saveMarks(s, tx, id, files, at); err != nil {
		return err
	}
	return restoreMarks(s, tx, of, files, at)
}
