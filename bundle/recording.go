package bundle

import (
	"maps"
	"path"
	"slices"
	"strings"
)

// members are what was kept, below a directory of a moment, in the order of their names.
func (r *recorder) members(below string) []member {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []member
	entered := r.entered()
	for name, data := range r.files {
		if !entered[name] { // else it was replaced by a directory since
			out = append(out, member{name: path.Join(below, name), data: data})
		}
	}
	for name, target := range r.links {
		if _, file := r.files[name]; file || entered[name] {
			continue
		}
		// A link to a place that is not recorded: the last element of its target is what the collectors look at
		// (a driver, a switch).
		if at := path.Join(below, name); leaves(path.Dir(at), target) {
			target = path.Base(target)
		}
		out = append(out, member{name: path.Join(below, name), target: target})
	}
	for name := range r.dirs {
		_, file := r.files[name]
		if _, link := r.links[name]; !file && !link && !entered[name] {
			out = append(out, member{name: path.Join(below, name), dir: true})
		}
	}
	out = slices.DeleteFunc(out, func(m member) bool { return !storable(m) })
	slices.SortFunc(out, func(a, b member) int { return strings.Compare(a.name, b.name) })
	return out
}

// storable tells whether a bundle may hold a member: a configuration file may have a name that is no text.
func storable(m member) bool {
	_, err := memberName(m.name)
	return err == nil && sound(m.target)
}

// entered are the directories that something was kept in.
func (r *recorder) entered() map[string]bool {
	dirs := map[string]bool{}
	enter := func(name string) {
		for name != "." && !dirs[path.Dir(name)] {
			name = path.Dir(name)
			dirs[name] = true
		}
	}
	for name := range r.files {
		enter(name)
	}
	for name := range r.links {
		enter(name)
	}
	for name := range r.dirs {
		enter(name)
	}
	return dirs
}

// failures are the files that could never be read, by their full path.
func (r *recorder) failures(below string) map[string]error {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := map[string]error{}
	for name, err := range maps.All(r.failed) {
		if _, read := r.files[name]; !read && !r.dirs[name] {
			out["/"+path.Join(below, name)] = err
		}
	}
	return out
}
