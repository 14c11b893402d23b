package opencode

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/store"
	"github.com/dsh-toolkit/dsh/lib/store/jsonl"
)

// Format is OpenCode as the programs know it. A root is a data directory, a
// directory storage, or one database.
var Format = store.Format{
	Kind:  Kind,
	Roots: roots,
	Open: func(root string, env store.Env) (store.Store, error) {
		if _, err := os.Stat(root); err != nil {
			return nil, jsonl.Unreadable(root, err)
		}
		return &opened{root: root, place: placeOf(root, env)}, nil
	},
	Recognise: recognise,
	ReadFile:  readFile,
}

var sqliteMagic = []byte("SQLite format 3\x00")

// recognise takes a database, and a session record of the JSON files.
func recognise(name string, head []byte) bool {
	if bytes.HasPrefix(head, sqliteMagic) {
		return true
	}
	trimmed := bytes.TrimLeft(head, " \t\r\n")
	return filepath.Ext(name) == ".json" && bytes.HasPrefix(trimmed, []byte("{")) &&
		bytes.Contains(head, []byte(`"projectID"`)) && bytes.Contains(head, []byte(`"directory"`))
}

// readFile reads the one session of a database, or the session whose record a file
// is, with the messages where OpenCode keeps them beside it.
func readFile(ctx context.Context, path string, opts store.ReadOptions) (*store.Reading, error) {
	isDB, err := isDatabase(path)
	if err != nil {
		return nil, jsonl.Unreadable(path, err)
	}
	id := ""
	if isDB {
		if id, err = onlySession(ctx, path); err != nil {
			return nil, err
		}
		t, err := database{path}.read(ctx, id, freshFor(opts), nil)
		if err != nil {
			return nil, err
		}
		return t.finish(), nil
	}
	t := freshFor(opts)()
	if err := treeOf(path).read(ctx, path, t, noCopies); err != nil {
		return nil, err
	}
	return t.finish(), nil
}

func isDatabase(path string) (bool, error) {
	// Asked before the open: to open a pipe would wait for its writer.
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return false, cmp.Or(err, errNotRegular)
	}
	f, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	head := make([]byte, len(sqliteMagic))
	n, _ := f.Read(head)
	return bytes.Equal(head[:n], sqliteMagic), nil
}

func onlySession(ctx context.Context, path string) (string, error) {
	found, err := database{path}.records(ctx)
	if err != nil {
		return "", err
	}
	var ids []string
	for _, r := range found {
		if !r.child {
			ids = append(ids, r.id)
		}
	}
	if len(ids) == 1 {
		return ids[0], nil
	}
	f := &fault.Error{
		Kind: fault.Unreadable, Code: fault.ReadFailed, Rule: "several-sessions", Subject: fmt.Sprintf("%q", path),
		Message: fmt.Sprintf("holds %d sessions", len(ids)),
		Hint:    "give it as --store opencode:FILE, with one session's id",
	}
	if len(found) == 0 {
		f.Message, f.Hint = "holds no OpenCode session", ""
	}
	return "", f
}
