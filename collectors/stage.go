package collectors

import "io/fs"

// Stage is a root whose files change from moment to moment, so that one collector lives through all of them: some
// keep sums from run to run.
type Stage struct {
	Root     Root // what collectors are made with
	backdrop []*backdrop
}

// backdrop is one directory of the stage.
type backdrop struct{ now fs.FS }

// NewStage has the directories of the first moment, which Set puts there.
func NewStage(first Root) *Stage {
	s := &Stage{Root: first}
	for _, dir := range s.dirs(&s.Root) {
		if *dir == nil {
			s.backdrop = append(s.backdrop, nil)
			continue
		}
		b := &backdrop{}
		s.backdrop = append(s.backdrop, b)
		*dir = b
	}
	return s
}

func (*Stage) dirs(root *Root) []*fs.FS {
	return []*fs.FS{&root.Procfs, &root.Sysfs, &root.Modules, &root.Netlink, &root.Windows}
}

// Set puts a moment's directories on the stage. A directory that the first moment lacks stays away.
func (s *Stage) Set(root Root) {
	for i, dir := range s.dirs(&root) {
		if s.backdrop[i] != nil && *dir != nil {
			s.backdrop[i].now = *dir
		}
	}
}

func (b *backdrop) Open(name string) (fs.File, error)          { return b.now.Open(name) }
func (b *backdrop) ReadFile(name string) ([]byte, error)       { return fs.ReadFile(b.now, name) }
func (b *backdrop) ReadDir(name string) ([]fs.DirEntry, error) { return fs.ReadDir(b.now, name) }
func (b *backdrop) ReadLink(name string) (string, error)       { return fs.ReadLink(b.now, name) }
func (b *backdrop) Lstat(name string) (fs.FileInfo, error)     { return fs.Lstat(b.now, name) }
func (b *backdrop) Stat(name string) (fs.FileInfo, error)      { return fs.Stat(b.now, name) }
