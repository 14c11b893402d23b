package hostconfig

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/dsh-toolkit/dsh/lib/fault"
)

const (
	// backupSuffix ends the name of a backup, which stands beside its file.
	backupSuffix = ".before-dsh-ref"
	// madeName is a file in each folder that Replace had to make, so that Delete takes
	// away those folders and no other.
	madeName = ".made-by-dsh-ref"
	// maxLinks is how many links in a row are followed, as many as Linux does.
	maxLinks = 40
)

// File is a file as it was when it was read. Where a path is a link, the file is the
// link's target: the link stays what it is.
type File struct {
	Path   string // as it was asked for
	Data   []byte
	Exists bool
	target string // Path, behind its links
	info   fs.FileInfo
}

// Open reads a file. One that does not exist is no error. What is no regular file,
// or larger than MaxSize, is.
func Open(path string) (*File, error) {
	f := &File{Path: path, target: path}
	for n := 0; ; n++ {
		info, err := os.Lstat(f.target)
		if err != nil || info.Mode()&fs.ModeSymlink == 0 {
			break // a failure shows below
		}
		to, err := os.Readlink(f.target)
		if err != nil {
			return nil, f.failed("cannot read", err)
		}
		if n == maxLinks {
			return nil, f.usage("links lead in a circle")
		}
		if !filepath.IsAbs(to) {
			// The link's folder may be reached by a link too: .. leads up from where it is.
			dir, err := filepath.EvalSymlinks(filepath.Dir(f.target))
			if err != nil {
				return nil, f.failed("cannot read", err)
			}
			to = filepath.Join(dir, to)
		}
		f.target = to
	}
	info, err := os.Stat(f.target)
	if errors.Is(err, fs.ErrNotExist) {
		return f, nil
	}
	if err != nil {
		return nil, f.failed("cannot read", err)
	}
	if !info.Mode().IsRegular() {
		return nil, f.usage("is not a regular file")
	}
	if info.Size() > MaxSize {
		return nil, f.usage(fmt.Sprintf("is larger than %d bytes", MaxSize))
	}
	f.info, f.Exists = info, true
	if f.Data, err = readSome(f.target); err != nil {
		return nil, f.failed("cannot read", err)
	}
	if len(f.Data) > MaxSize { // it has grown
		return nil, f.usage(fmt.Sprintf("is larger than %d bytes", MaxSize))
	}
	return f, nil
}

// readSome reads a file, and no more of it than tells that it is too large.
func readSome(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, MaxSize+1))
}

// unchanged is nil where the file is as it was at Open.
func (f *File) unchanged() error {
	data, err := readSome(f.target)
	if errors.Is(err, fs.ErrNotExist) && !f.Exists || err == nil && f.Exists && bytes.Equal(data, f.Data) {
		return nil
	}
	return &fault.Error{
		Kind: fault.Unexpected, Code: fault.Failed, Rule: "file-changed", Subject: f.Path,
		Message: "was changed by somebody else meanwhile, nothing was written", Hint: "try again",
	}
}

func (f *File) failed(what string, err error) error {
	var path *fs.PathError
	if errors.As(err, &path) && strings.HasPrefix(path.Path, f.target) {
		err = path.Err
	}
	return &fault.Error{Kind: fault.Unexpected, Code: fault.Failed, Subject: f.Path, Message: what, Err: err}
}

func (f *File) usage(message string) error {
	return &fault.Error{
		Kind: fault.Usage, Code: fault.InvalidConfig, Subject: f.Path, Message: message, Hint: "nothing was changed",
	}
}
