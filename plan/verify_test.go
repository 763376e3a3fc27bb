package plan

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/nasight/nasight/fleet"
)

// example is a pool with a volume of every kind.
func example(t *testing.T) *Plan {
	t.Helper()
	volumes := []Volume{
		steady("home", 900, 150), steady("builds", 300, 600), steady("archive", 600, 5), steady("replica", 200, 20),
		steady("clone", 100, 90), steady("database", 460, 300), steady("scratch", float64(fleet.Unknown), 10),
		steady("mail", 150, 118),
	}
	volumes[0].Peak, volumes[0].PreviousP99 = 400, 130
	volumes[1].Throttled, volumes[1].Peak = true, 330
	volumes[3].ReplicationDestination, volumes[3].SourceNeedMiBps = true, 240
	volumes[4].Days = 3
	volumes[5].Protected, volumes[5].Bound = true, 1.8
	pool := manual(0)
	pool.AvailableMiBps = 90
	p, err := Build(pool, volumes, Defaults())
	if err != nil {
		t.Fatal(err)
	}
	mustVerify(t, p)
	return p
}

// short is a pool whose needs do not fit: one volume inside its bounds, one at its floor, one at its maximum.
func short(t *testing.T) *Plan {
	t.Helper()
	p := sharing{
		pool: 1000, needs: []float64{1500, 10, 700}, current: []float64{500, 400, 100},
		volume: func(i int, v *Volume) { v.CapMiBps = []float64{0, 0, 200}[i] },
	}.build(t)
	mustVerify(t, p)
	return p
}

// TestVerifyFindsEveryFault breaks one number at a time.
func TestVerifyFindsEveryFault(t *testing.T) {
	for name, spoil := range map[string]func(*Certificate, *Plan){
		"lambda":             func(c *Certificate, _ *Plan) { c.Lambda *= 1.001; c.Mu /= 1.001 },
		"lambda of nothing":  func(c *Certificate, _ *Plan) { c.Lambda = 0 },
		"lambda above one":   func(c *Certificate, _ *Plan) { c.Lambda, c.Mu = 2, 0.5 },
		"lambda missing":     func(c *Certificate, _ *Plan) { c.Lambda = float64(fleet.Unknown) },
		"mu":                 func(c *Certificate, _ *Plan) { c.Mu *= 2 },
		"inside for floor":   func(c *Certificate, _ *Plan) { c.Inside, c.AtFloor = c.AtFloor, c.Inside },
		"cap for floor":      func(c *Certificate, _ *Plan) { c.AtCap, c.AtFloor = c.AtFloor, c.AtCap },
		"a volume missing":   func(c *Certificate, _ *Plan) { c.AtCap = nil },
		"a volume too many":  func(c *Certificate, _ *Plan) { c.AtCap = append(c.AtCap, "ghost") },
		"a volume twice":     func(c *Certificate, _ *Plan) { c.AtCap = append(c.AtCap, c.Inside...) },
		"served":             func(c *Certificate, _ *Plan) { c.Served++ },
		"bound":              func(c *Certificate, _ *Plan) { c.Bound++ },
		"gap":                func(c *Certificate, _ *Plan) { c.Gap = 5 },
		"capacity":           func(c *Certificate, _ *Plan) { c.Capacity++ },
		"pool":               func(_ *Certificate, p *Plan) { p.Capacity -= 5 },
		"need":               func(_ *Certificate, p *Plan) { p.Volumes[0].Need *= 1.01 },
		"lower bound":        func(_ *Certificate, p *Plan) { p.Volumes[1].Lower++ },
		"upper bound":        func(_ *Certificate, p *Plan) { p.Volumes[2].Limit++ },
		"optimum":            func(_ *Certificate, p *Plan) { p.Volumes[0].Optimum-- },
		"optimum missing":    func(_ *Certificate, p *Plan) { p.Volumes[0].Optimum = fleet.Unknown },
		"proposal too large": func(_ *Certificate, p *Plan) { p.Volumes[0].Propose += 500; p.Steps[1].To += 500 },
		"proposal not whole": func(_ *Certificate, p *Plan) { p.Volumes[0].Propose -= 0.5; p.Steps[1].To -= 0.5 },
		"proposal off":       func(_ *Certificate, p *Plan) { p.Volumes[0].Propose -= 3; p.Steps[1].To -= 3 },
		"peak":               func(_ *Certificate, p *Plan) { p.Volumes[1].Peak = 90 },
		"below its bound":    func(_ *Certificate, p *Plan) { p.Volumes[1].Propose = 63 },
		"kept, yet changed":  func(_ *Certificate, p *Plan) { p.Volumes[1].State = Kept },
		"order of steps":     func(_ *Certificate, p *Plan) { p.Steps[0], p.Steps[1] = p.Steps[1], p.Steps[0] },
		"a step missing":     func(_ *Certificate, p *Plan) { p.Steps = p.Steps[:2] },
		"a step twice":       func(_ *Certificate, p *Plan) { p.Steps = append(p.Steps, p.Steps[2]) },
		"a step's sum":       func(_ *Certificate, p *Plan) { p.Steps[0].Assigned++ },
	} {
		t.Run(name, func(t *testing.T) {
			p := short(t)
			if spoil(p.Certificate, p); Verify(p.Certificate, p) == nil {
				t.Error("the fault is not found")
			}
		})
	}
}

// TestVerifySeesUnusedThroughput: every condition but one holds for an allocation that leaves some of the pool unused.
func TestVerifySeesUnusedThroughput(t *testing.T) {
	p := short(t)
	p.Capacity += 100
	p.Certificate.Capacity += 100
	if err := Verify(p.Certificate, p); err == nil || !strings.Contains(err.Error(), "yet a volume is below its need") {
		t.Errorf("got %v", err)
	}
}

// TestAPlanVerifiesAfterJSON: who gets a plan from the API can check it.
func TestAPlanVerifiesAfterJSON(t *testing.T) {
	data, err := json.Marshal(example(t))
	if err != nil {
		t.Fatal(err)
	}
	var read Plan
	if err := json.Unmarshal(data, &read); err != nil {
		t.Fatal(err)
	}
	mustVerify(t, &read)
	if read.Volumes[6].Current.Known() || !strings.Contains(string(data), `"now_mibps":null`) {
		t.Errorf("the limit that is not known is %g in JSON", float64(read.Volumes[6].Current))
	}
}
