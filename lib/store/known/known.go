// Package known is the list of store formats this toolkit reads, and the way from
// what a person types (--store SPEC, a bare file) to an open store or a reading.
package known

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/store"
)

// headSize is how much of a bare file is looked at to recognise it; store.Format
// promises no more to Recognise.
const headSize = 64 << 10

// Open opens the stores that specs name, each PATH (a dsh store) or KIND:PATH.
// Without specs it opens every known store that exists. A place that is named
// twice, also through a link, is opened once. Errors are Usage: a named place that
// does not exist, or an unknown kind.
func Open(specs []string, env store.Env) (*store.Set, error) {
	set := &store.Set{}
	seen := make(map[string]bool)
	add := func(f store.Format, root string) error {
		key := f.Kind + "\x00" + realPath(root)
		if seen[key] {
			return nil
		}
		st, err := f.Open(root, env)
		if err != nil {
			return err
		}
		seen[key] = true
		set.Stores = append(set.Stores, st)
		return nil
	}
	for _, spec := range specs {
		f, root, err := parseSpec(spec)
		if err == nil {
			err = add(f, root)
		}
		if err != nil {
			return nil, configError(spec, err)
		}
	}
	if len(specs) > 0 {
		return set, nil
	}
	for _, f := range Formats {
		for _, root := range f.Roots(env) {
			if _, err := os.Stat(root); err == nil {
				// A default place that cannot be opened is as if it were not there:
				// nobody named it.
				_ = add(f, root)
			}
		}
	}
	return set, nil
}

func configError(spec string, err error) error {
	var f *fault.Error
	if errors.As(err, &f) {
		return err
	}
	return &fault.Error{
		Kind: fault.Usage, Code: fault.InvalidConfig, Subject: fmt.Sprintf("store %q", spec), Err: err,
		Hint: "a store is PATH or KIND:PATH, with a kind of " + strings.Join(kinds(), ", "),
	}
}

func parseSpec(spec string) (store.Format, string, error) {
	f, path := splitKind(spec)
	if f.Kind == "" {
		f, _ = format(store.DSH)
	}
	if _, err := os.Stat(path); err != nil {
		return f, path, plain(err)
	}
	return f, path, nil
}

// splitKind takes a known kind off the front of KIND:PATH; Format.Kind is empty
// where there is none.
func splitKind(spec string) (store.Format, string) {
	if kind, path, ok := strings.Cut(spec, ":"); ok {
		if f, ok := format(kind); ok {
			return f, path
		}
	}
	return store.Format{}, spec
}

func format(kind string) (store.Format, bool) {
	i := slices.IndexFunc(Formats, func(f store.Format) bool { return f.Kind == kind })
	if i < 0 {
		return store.Format{}, false
	}
	return Formats[i], true
}

func kinds() []string {
	out := make([]string, len(Formats))
	for i, f := range Formats {
		out[i] = f.Kind
	}
	return out
}

// plain drops the operation and path from a file error: the subject names them.
func plain(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

func realPath(p string) string {
	if r, err := filepath.EvalSymlinks(p); err == nil {
		p = r
	}
	if a, err := filepath.Abs(p); err == nil {
		p = a
	}
	return p
}

// IsFile reports whether arg (FILE or KIND:FILE) names something that exists and
// is not a directory.
func IsFile(arg string) bool {
	_, path := splitKind(arg)
	info, err := os.Stat(path)
	return err == nil && !info.IsDir()
}

// KindOf is the kind of a bare file, FILE or KIND:FILE, and its path. What is no
// regular file is not looked into, and has the kind that was named or none.
func KindOf(arg string) (kind, path string, err error) {
	f, path := splitKind(arg)
	if info, statErr := os.Stat(path); f.Kind == "" && statErr == nil && info.Mode().IsRegular() {
		f, err = recognise(path, path)
	}
	return f.Kind, path, err
}

// ReadFile reads one session from a bare file, FILE or KIND:FILE; without a kind
// the content decides. A pipe is copied to a temporary file first, because a
// format may want to look at the end before the middle.
func ReadFile(ctx context.Context, arg string, opts store.ReadOptions) (*store.Reading, error) {
	f, path := splitKind(arg)
	info, err := os.Stat(path)
	if err != nil {
		return nil, unreadable(path, plain(err))
	}
	if !info.Mode().IsRegular() {
		open := func() (io.ReadCloser, error) { return os.Open(path) }
		return spooled(ctx, path, open, func(p string) (*store.Reading, error) { return readPath(ctx, f, p, path, opts) })
	}
	return readPath(ctx, f, path, path, opts)
}

// ReadStream is ReadFile for standard input; name stands for its path.
func ReadStream(ctx context.Context, r io.Reader, name string, opts store.ReadOptions) (*store.Reading, error) {
	open := func() (io.ReadCloser, error) { return io.NopCloser(r), nil }
	return spooled(ctx, name, open, func(p string) (*store.Reading, error) {
		return readPath(ctx, store.Format{}, p, name, opts)
	})
}

func readPath(ctx context.Context, f store.Format, path, name string, opts store.ReadOptions) (*store.Reading, error) {
	if f.Kind == "" {
		var err error
		if f, err = recognise(path, name); err != nil {
			return nil, err
		}
	}
	r, err := f.ReadFile(ctx, path, opts)
	if err != nil {
		return nil, err
	}
	r.Receipt.Path = name
	return r, nil
}

func recognise(path, name string) (store.Format, error) {
	file, err := os.Open(path)
	if err != nil {
		return store.Format{}, unreadable(name, plain(err))
	}
	defer file.Close()
	head, err := io.ReadAll(io.LimitReader(file, headSize))
	if err != nil {
		return store.Format{}, unreadable(name, plain(err))
	}
	for _, f := range Formats {
		if f.Recognise(filepath.Base(name), head) {
			return f, nil
		}
	}
	return store.Format{}, &fault.Error{
		Kind: fault.Damaged, Code: fault.ReadFailed, Rule: "unknown-format", Subject: fmt.Sprintf("%q", name),
		Message: "not a session of any known format",
		Hint:    "name the format, as in codex:FILE; formats are " + strings.Join(kinds(), ", "),
	}
}

func unreadable(name string, err error) error {
	return &fault.Error{
		Kind: fault.Unreadable, Code: fault.ReadFailed, Subject: fmt.Sprintf("%q", name),
		Message: "cannot be read", Err: err,
	}
}

// spooled copies a stream to a private temporary file and hands its path on. It
// returns at once when ctx is done, also while the stream does not deliver.
func spooled(ctx context.Context, name string, open func() (io.ReadCloser, error),
	use func(path string) (*store.Reading, error),
) (*store.Reading, error) {
	tmp, err := os.CreateTemp("", "dsh-spool-*")
	if err != nil {
		return nil, unreadable(name, err)
	}
	defer os.Remove(tmp.Name())
	done := make(chan error, 1)
	go func() {
		defer tmp.Close()
		src, err := open()
		if err == nil {
			_, err = io.Copy(tmp, src)
			src.Close()
		}
		done <- err
	}()
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case err := <-done:
		if err != nil {
			return nil, unreadable(name, plain(err))
		}
		return use(tmp.Name())
	}
}
