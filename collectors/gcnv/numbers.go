package gcnv

// foreign tells of project numbers whether they are another project's: its own number is known to be another one, or the
// number is known to be that of another project.
func (s *Source) foreign(p *project) func(number string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	own, others := "", map[string]bool{}
	for number, id := range s.numbers {
		if id == p.id {
			own = number
		} else {
			others[number] = true
		}
	}
	return func(number string) bool { return others[number] || own != "" && number != own }
}

// learn finds out a project's number: from the names of its resources where those carry it, else from the series of its
// volumes if all of them have the same one. Series carry the number alone, and those of a project whose metrics scope has
// others in it are of several.
func (s *Source) learn(p *project, r *row, found *answer) {
	number, ok := p.ownNumber(r, found)
	if !ok {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, taken := s.numbers[number]; !taken {
		s.numbers[number] = p.id
	}
}

func (p *project) ownNumber(r *row, found *answer) (number string, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.inv == nil {
		return "", false
	}
	if p.inv.number != "" {
		return p.inv.number, true
	}
	for k, owner := range found.owners {
		if _, _, known, _ := p.resource(r, k.key, p.inv, selection{}); !known || !isNumber(owner) {
			continue
		}
		if number != "" && owner != number {
			return "", false
		}
		number = owner
	}
	return number, number != ""
}
