package queue

import (
	"math"
	"math/rand/v2"
	"testing"
)

// exact is the multi-class recursion over every mix of populations of two classes: demands by class and queue (the
// classes' own sessions, the client, the volume), and delays. It is the oracle for what the solver approximates.
func exact(jobs [2]int, demand [2][4]float64, delay [2]float64) (rate [2]float64) {
	queues := make([][4]float64, (jobs[0]+1)*(jobs[1]+1))
	at := func(a, b int) *[4]float64 { return &queues[a*(jobs[1]+1)+b] }
	for a := range jobs[0] + 1 {
		for b := range jobs[1] + 1 {
			n, q := [2]int{a, b}, at(a, b)
			rate = [2]float64{}
			for c := range n {
				if n[c] == 0 {
					continue
				}
				found := at(a-1+c, b-c) // one job of the class less
				var trip [4]float64
				total := delay[c]
				for i, d := range demand[c] {
					trip[i] = d * (1 + found[i])
					total += trip[i]
				}
				rate[c] = float64(n[c]) / total
				for i := range trip {
					q[i] += rate[c] * trip[i]
				}
			}
		}
	}
	return rate
}

// TestOneClassIsExact: one class comes out as the textbook's recursion has it, in whole jobs.
func TestOneClassIsExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 300 {
		jobs := 1 + rng.IntN(200)
		c := Class{Jobs: float64(jobs), Sessions: 1 + rng.IntN(16), SessionTime: rng.Float64() * 100 * us, ClientTime: rng.Float64() * 20 * us, RTT: rng.Float64() * ms,
			Think: rng.Float64() * ms}
		n, volume := float64(c.Sessions), rng.Float64()*20*us
		want := exact([2]int{jobs, 0}, [2][4]float64{{c.SessionTime / n, 0, c.ClientTime, volume}}, [2]float64{c.SessionTime*(1-1/n) + c.RTT + c.Think})[0]
		got := alone(t, c, Volume{OpTime: func(float64, float64) float64 { return volume }})
		near(t, "rate over the exact one", got.Rate/want, 1, 1e-5)
	}
}

// TestTwoClassesAreNear: two classes that share a client and a volume, against the exact recursion. A few jobs are the
// hardest case for the approximation; the error is of the class's rate.
func TestTwoClassesAreNear(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	worst, sum, count := 0.0, 0.0, 0.0
	for range 400 {
		jobs := [2]int{1 + rng.IntN(40), 1 + rng.IntN(40)}
		var demand [2][4]float64
		var delay [2]float64
		volume := rng.Float64() * 20 * us
		n := Network{Volumes: []Volume{{Name: "v", OpTime: func(float64, float64) float64 { return volume }}}}
		for i := range jobs {
			c := Class{Client: "c", Volume: "v", Jobs: float64(jobs[i]), Sessions: 1 + rng.IntN(8), SessionTime: rng.Float64() * 100 * us, ClientTime: rng.Float64() * 20 * us,
				RTT: rng.Float64() * ms}
			n.Classes = append(n.Classes, c)
			of := float64(c.Sessions)
			demand[i][i], demand[i][2], demand[i][3] = c.SessionTime/of, c.ClientTime, volume
			delay[i] = c.SessionTime*(1-1/of) + c.RTT
		}
		got, want := solve(t, n), exact(jobs, demand, delay)
		for i, f := range got.Flows {
			off := math.Abs(f.Rate/want[i] - 1)
			worst, sum, count = max(worst, off), sum+off, count+1
		}
	}
	t.Logf("error: mean %.3g, worst %.3g", sum/count, worst)
	if worst > .09 || sum/count > .01 {
		t.Errorf("error: mean %.3g, worst %.3g", sum/count, worst)
	}
}
