package smb

import (
	"slices"
	"strings"
)

// inventory is what the files of one moment say of the host's shares and servers, joined.
type inventory struct {
	resolver
	debug     *Debug
	stats     *Stats
	files     *OpenFiles
	endpoints []*endpoint
	shares    []*share
	trees     []treeRef            // in the order of DebugData, without those of the servers' services
	treesOf   map[string][]treeRef // the same by server
	byServer  map[string]*endpoint
	byKey     map[shareKey]*share
}

type shareKey struct{ server, name string }

// share is a share of a server address. All its mount points and all users' connections to it are one.
type share struct {
	shareKey
	mounts []Mount // oldest first
	trees  []treeRef
	counts []counted
}

// treeRef is a connected share of DebugData with what it belongs to.
type treeRef struct {
	shareKey
	host    string // in the share's name
	from    *Server
	session *Session
	tree    *Tree
}

// counted is what Stats counts for a connected share, and what it is told from others by.
type counted struct {
	*Share
	part    part
	hasPart bool
}

// input is what could be read; a file that is not there is nil.
type input struct {
	mounts []Mount
	debug  *Debug
	stats  *Stats
	files  *OpenFiles
}

func newInventory(in input) *inventory {
	i := &inventory{
		resolver: resolver{in.mounts}, debug: in.debug, stats: in.stats, files: in.files,
		byServer: map[string]*endpoint{}, byKey: map[shareKey]*share{}, treesOf: map[string][]treeRef{},
	}
	i.addServers()
	i.addMounts()
	i.addCounts()
	for _, ref := range i.trees {
		if found := i.byKey[ref.shareKey]; found != nil {
			found.trees = append(found.trees, ref)
		}
	}
	return i
}

func (i *inventory) addServers() {
	if i.debug == nil {
		return
	}
	for at := range i.debug.Servers {
		server := &i.debug.Servers[at]
		if len(server.Sessions) == 0 || i.debug.Cut && at == len(i.debug.Servers)-1 && !server.hasAllChannels() {
			continue
		}
		label := i.server(server)
		e := i.endpoint(label)
		e.servers = append(e.servers, server)
		i.addTrees(label, server)
	}
}

func (i *inventory) addTrees(label string, server *Server) {
	for s := range server.Sessions {
		session := &server.Sessions[s]
		for t := range session.Trees {
			tree := &session.Trees[t]
			if tree.IsIPC {
				continue
			}
			host, name, _ := splitShare(string(tree.Name))
			ref := treeRef{shareKey{label, name}, host, server, session, tree}
			i.trees = append(i.trees, ref)
			i.treesOf[label] = append(i.treesOf[label], ref)
		}
	}
}

// hasAllChannels tells whether a file that was cut has all of the server's sessions but for those that would follow: the
// part that comes behind the last one's channels and shares is there.
func (s *Server) hasAllChannels() bool { return s.Sessions[len(s.Sessions)-1].reached > inTrees }

func (i *inventory) endpoint(server string) *endpoint {
	e := i.byServer[server]
	if e == nil {
		e = &endpoint{server: server}
		i.byServer[server] = e
		i.endpoints = append(i.endpoints, e)
	}
	return e
}

func (i *inventory) share(key shareKey) *share {
	s := i.byKey[key]
	if s == nil {
		s = &share{shareKey: key}
		i.byKey[key] = s
		i.shares = append(i.shares, s)
	}
	return s
}

func (i *inventory) addMounts() {
	claimed := map[shareKey]bool{}
	for at := range i.mounts {
		m := &i.mounts[at]
		_, name, _ := splitShare(m.Source)
		claimed[shareKey{mountServer(m), name}] = true
	}
	for at := range i.mounts {
		m := &i.mounts[at]
		key := shareKey{mountServer(m), ""}
		key.name = i.connected(m, key.server, claimed)
		s := i.share(key)
		s.mounts = append(s.mounts, *m)
	}
}

// connected is the name of the share that a mount is connected to: the one in its source, whatever its case, or the one
// that a DFS link led to.
func (i *inventory) connected(m *Mount, server string, claimed map[shareKey]bool) string {
	host, name, rest := splitShare(m.Source)
	if target, ok := i.linked(server, host+"/"+name+"/"+rest); ok {
		return target
	}
	var folded, unclaimed []string
	sameHost := false
	for _, ref := range i.treesOf[server] {
		switch {
		case ref.name == name:
			return name
		case strings.EqualFold(ref.name, name):
			folded = appendName(folded, ref.name)
		case !claimed[ref.shareKey]:
			unclaimed = appendName(unclaimed, ref.name)
		}
		sameHost = sameHost || strings.EqualFold(ref.host, host)
	}
	switch {
	case len(folded) == 1:
		return folded[0]
	case len(folded) == 0 && len(unclaimed) == 1 && !sameHost: // a link of a domain's name space
		return unclaimed[0]
	}
	return name
}

// linked finds the share that a DFS link led to, by the link that the kernel prints for the connection. The link's own
// root may be connected over it, too.
func (i *inventory) linked(server, source string) (name string, ok bool) {
	var targets []string
	for _, ref := range i.treesOf[server] {
		if len(ref.from.LeafPath) == 0 {
			continue
		}
		link := strings.ReplaceAll(strings.TrimLeft(string(ref.from.LeafPath), `\`), `\`, "/")
		if isBelow(source, link) && !isBelow(link, ref.host+"/"+ref.name) {
			targets = appendName(targets, ref.name)
		}
	}
	if len(targets) != 1 {
		return "", false
	}
	return targets[0], true
}

// isBelow tells whether a path is the other one or below it.
func isBelow(path, top string) bool {
	return len(path) >= len(top) && strings.EqualFold(path[:len(top)], top) && (len(path) == len(top) || path[len(top)] == '/')
}

// abandoned tells whether nobody sees a share and every channel to it is down: the client has yet to give up what was
// unmounted. A share of another mount namespace is not told from it while its server is dead.
func (s *share) abandoned() bool {
	return len(s.mounts) == 0 && len(s.trees) > 0 && !slices.ContainsFunc(s.trees, treeRef.served)
}

// served tells whether any channel of the share's session is there. One that is up carries the session when the first is lost.
func (r treeRef) served() bool {
	up := func(c Channel) bool { return !c.Down() }
	return up(r.from.Primary) || slices.ContainsFunc(r.session.Extra, up)
}

// addCounts gives what Stats counts to the shares: the nth of a name is the nth of DebugData.
func (i *inventory) addCounts() {
	if i.stats == nil {
		return
	}
	connected := map[string][]treeRef{}
	for _, ref := range i.trees {
		connected[string(ref.tree.Name)] = append(connected[string(ref.tree.Name)], ref)
	}
	total, seen := map[string]int{}, map[string]int{}
	for at := range i.stats.Shares {
		total[string(i.stats.Shares[at].Name)]++
	}
	for at := range i.stats.Shares {
		counts := &i.stats.Shares[at]
		name := string(counts.Name)
		refs, nth := connected[name], seen[name]
		seen[name]++
		if isIPCName(counts.Name) {
			continue
		}
		key, c := i.keyOf(counts, refs), counted{Share: counts}
		if len(refs) == total[name] {
			key = refs[nth].shareKey
			c.part, c.hasPart = refs[nth].part()
		}
		s := i.share(key)
		s.counts = append(s.counts, c)
		counts.server = key.server
	}
}

// keyOf finds a counted share by its name alone.
func (i *inventory) keyOf(counts *Share, refs []treeRef) shareKey {
	isOne := len(refs) > 0 && !slices.ContainsFunc(refs, func(r treeRef) bool { return r.shareKey != refs[0].shareKey })
	if isOne {
		return refs[0].shareKey
	}
	host, name, _ := splitShare(string(counts.Name))
	server := i.host(host)
	for _, s := range i.shares { // a mount may have another case
		if s.server == server && strings.EqualFold(s.name, name) {
			return s.shareKey
		}
	}
	return shareKey{server, name}
}

// part names a user's connection to a share: it lasts as long as the kernel counts.
func (r treeRef) part() (part, bool) {
	id, user := r.from.Primary.ID, r.session.User
	return part{connection: id, user: user, name: string(r.tree.Name)}, id.Known() && user.Known()
}
