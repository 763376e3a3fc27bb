package azure

import (
	"math"
	"net/http"
	"strconv"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// operation is what Resource Manager counts a call as.
type operation int

const (
	uncounted operation = iota // served beside Resource Manager
	read
	storageRead // Microsoft.Storage has limits of its own on top
	storageList
)

// Resource Manager lets each principal read 25 times a second in a subscription, 250 times at once, and all principals
// fifteen times that. Microsoft.Storage lets 800 reads and 100 lists through in five minutes.
const (
	readsAtOnce    = 250
	readsPerSecond = 25
	globalFactor   = 15
	storageReads   = 800
	storageLists   = 100
)

const storageWindow = 5 * time.Minute

type bucketKey struct {
	operation           operation
	subscription, token string
}

type bucket = rate.Limiter

// maxBuckets bounds what clients that make tokens and subscriptions up can make the emulator hold.
const maxBuckets = 10_000

// limits are the buckets of requests, full at first.
type limits struct {
	mu      sync.Mutex
	buckets map[bucketKey]*bucket
}

// bucket finds or fills a bucket.
func (l *limits) bucket(key bucketKey, perSecond float64, most int) *bucket {
	l.mu.Lock()
	defer l.mu.Unlock()
	b, ok := l.buckets[key]
	if !ok {
		if len(l.buckets) >= maxBuckets {
			clear(l.buckets)
		}
		b = rate.NewLimiter(rate.Limit(perSecond), most)
		l.buckets[key] = b
	}
	return b
}

// take lets a call through or refuses it, and says in the headers what is left.
func (l *limits) take(now time.Time, r route, token, subscription string, header http.Header) *failure {
	if r.operation == uncounted {
		return nil
	}
	own := l.bucket(bucketKey{read, subscription, token}, readsPerSecond, readsAtOnce)
	all := l.bucket(bucketKey{read, subscription, ""}, globalFactor*readsPerSecond, globalFactor*readsAtOnce)
	passed := own.AllowN(now, 1) && all.AllowN(now, 1)
	left := func(b *bucket) string { return strconv.Itoa(int(max(0, b.TokensAt(now)))) }
	header.Set("X-Ms-Ratelimit-Remaining-Subscription-Reads", left(own))
	header.Set("X-Ms-Ratelimit-Remaining-Subscription-Global-Reads", left(all))
	if !passed {
		return throttled(1.0/readsPerSecond, "the limit has been reached for operation type - Read")
	}
	switch r.operation {
	case storageRead:
		return l.storage(now, bucketKey{storageRead, subscription, ""}, storageReads)
	case storageList:
		return l.storage(now, bucketKey{storageList, subscription, ""}, storageLists)
	}
	return nil
}

func (l *limits) storage(now time.Time, key bucketKey, most int) *failure {
	perSecond := float64(most) / storageWindow.Seconds()
	if l.bucket(key, perSecond, most).AllowN(now, 1) {
		return nil
	}
	return throttled(1/perSecond, "Microsoft.Storage has served its "+strconv.Itoa(most)+" requests of five minutes")
}

func throttled(seconds float64, why string) *failure {
	f := failed(http.StatusTooManyRequests, "SubscriptionRequestsThrottled", "Number of requests exceeded: %s.", why)
	f.retryAfter = time.Duration(math.Ceil(seconds)) * time.Second
	return f
}
