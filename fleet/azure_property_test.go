package fleet_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/nasight/nasight/fleet"
	"github.com/nasight/nasight/schema"
)

// Every mount is joined to one share of the account that its name says, or listed with a reason; a share is listed only if no
// mount is.
func TestEveryMountOfAzureIsJoinedOrListed(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		pick := func(list ...string) string { return rapid.SampledFrom(list).Draw(rt, "pick") }
		r := newRecorder(t)
		r.at(0)
		provisioned(r)
		r.account("other", "ssd", "v2", "true", "", pick("", "other.file.core.windows.net", "OTHER.file.core.windows.net."))
		r.add(schema.ShareInfo, 1, append(accountLabels("other", "home"), "smb", "Premium", "available", "")...)
		for i := range rapid.IntRange(0, 4).Draw(rt, "mounts") {
			r.mountOf(fmt.Sprint("h", i), pick("192.0.2.10", ""),
				pick(account, "other", "stranger", "")+pick(".file.core.windows.net", ".privatelink.file.core.windows.net", ".file.core.usgovcloudapi.net", "", "."),
				pick("", "/")+pick("home", "HOME", account, "other", "")+pick("", "/home", "/", `\home`, "/home/a"), pick("nfs", "smb"))
		}
		view := r.build(fleet.Moments(r.times))
		listed := map[fleet.Resource]bool{}
		for _, u := range view.Unjoined {
			if listed[u.Resource] || u.Reason == "" {
				rt.Fatalf("%+v is listed twice or without a reason", u)
			}
			listed[u.Resource] = true
		}
		for _, client := range view.Clients {
			for _, mount := range client.Mounts {
				if (mount.Share == nil) != listed[mount.Resource()] {
					rt.Fatalf("%+v: joined %v, listed %v", mount.Resource(), mount.Share != nil, listed[mount.Resource()])
				}
			}
		}
		for _, a := range view.Accounts {
			for _, share := range a.Shares {
				if (len(share.Mounts) == 0) != listed[share.Identity] || len(share.Mounts) != len(share.MountedBy) {
					rt.Fatalf("%+v: %d mounts, listed %v", share.Identity, len(share.Mounts), listed[share.Identity])
				}
			}
		}
	})
}
