package world

import (
	"math"
	"testing"

	"github.com/nasight/nasight/simulator/model"
	"github.com/nasight/nasight/simulator/queue"
)

// TestHeldRequestsWaitAtTheLimit: where the requests of a flow wait that a limit holds back is what exact mean value analysis
// says, with the limit as a delay that leaves just the granted rate: before a session that has room again hardly any do.
// Near its ceiling the closed network has a little less of a queue than the open one that is taken for it.
func TestHeldRequestsWaitAtTheLimit(t *testing.T) {
	const rtt, service = 0.35e-3, 0.8e-3
	g := &group{mounts: []*model.Mount{{Way: model.Way{RTTMS: rtt * 1e3, ServiceMS: service * 1e3}}}}
	for _, sessions := range []int{1, 4} {
		class := queue.Class{
			Client: "app-1", Volume: "data", Jobs: 64, Slots: 512, Sessions: sessions, Block: 64 << 10,
			SessionTime: 284e-6, ClientTime: 6.6e-6, RTT: rtt + service, // 220 MiB/s on a session
		}
		result, err := queue.Solve(queue.Network{Classes: []queue.Class{class}, Volumes: []queue.Volume{{Name: "data"}}})
		if err != nil {
			t.Fatal(err)
		}
		flow := result.Flows[0]
		for _, granted := range []float64{0.3, 0.73, 0.9, 1} {
			got := g.held(flow, class, granted, []float64{class.Jobs})
			within(t, "rate", got.rate, granted*flow.Rate, 1e-9)
			within(t, "requests under way", got.rate*got.rtt, class.Jobs, 0.01)
			within(t, "time in the service", got.server, waited(class, got.rate)+service, 0.08)
		}
	}
}

// waited is the delay with which exact mean value analysis of a class gives a rate.
func waited(class queue.Class, rate float64) float64 {
	n := float64(class.Sessions)
	demands := []float64{class.SessionTime / n, class.ClientTime}
	fixed := class.RTT + class.SessionTime*(n-1)/n
	low, high := 0.0, class.Jobs/rate
	for range 60 {
		delay := (low + high) / 2
		queues, got := make([]float64, len(demands)), 0.0
		for jobs := 1.0; jobs <= class.Jobs; jobs++ {
			residence := make([]float64, len(demands))
			sum := fixed + delay
			for i, demand := range demands {
				residence[i] = demand * (1 + queues[i])
				sum += residence[i]
			}
			got = jobs / sum
			for i := range queues {
				queues[i] = got * residence[i]
			}
		}
		if got > rate {
			low = delay
		} else {
			high = delay
		}
	}
	return (low + high) / 2
}

func within(t *testing.T, what string, got, want, share float64) {
	t.Helper()
	if !(math.Abs(got-want) <= share*want) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}
