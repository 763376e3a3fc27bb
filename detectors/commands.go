package detectors

import (
	"fmt"
	"net/netip"
	"strings"

	"github.com/nasight/nasight/fleet"
)

// remount gives the commands that unmount every mount of an endpoint and mount it again with more sessions. The number
// of sessions belongs to the server address: the mount that comes first decides for all.
func remount(endpoint *fleet.Endpoint, sessions int) string {
	lines := []string{"umount " + strings.Join(mountPoints(endpoint), " ")}
	for _, mount := range endpoint.Mounts {
		for _, point := range pointsOf(mount) {
			lines = append(lines, fmt.Sprintf("mount -t nfs -o %s %s %s", options(mount, sessions), source(mount), point))
		}
	}
	if len(endpoint.Mounts) == 0 {
		lines = append(lines, fmt.Sprintf("mount -t nfs -o nfsvers=3,tcp,nconnect=%d,rsize=65536,wsize=65536 %s:EXPORT MOUNTPOINT", sessions, endpoint.Server))
	}
	return strings.Join(lines, "\n")
}

// again is a remount that leaves the number of sessions as it is.
func again(endpoint *fleet.Endpoint) string { return remount(endpoint, 0) }

// mountAgainWith gives the commands that unmount one mount everywhere and mount it again with further options.
func mountAgainWith(mount *fleet.Mount, more string) string {
	lines := []string{"umount " + strings.Join(pointsOf(mount), " ")}
	for _, point := range pointsOf(mount) {
		lines = append(lines, fmt.Sprintf("mount -t nfs -o %s %s %s", quote(optionList(mount, 0)+more), source(mount), point))
	}
	return strings.Join(lines, "\n")
}

func options(mount *fleet.Mount, sessions int) string { return quote(optionList(mount, sessions)) }

func optionList(mount *fleet.Mount, sessions int) string {
	version := mount.Version
	if version == "" {
		version = "3"
	}
	list := []string{"nfsvers=" + version, transportOption(mount)}
	if sessions > 0 {
		list = append(list, fmt.Sprintf("nconnect=%d", sessions))
	} else if mount.NConnect.Known() {
		list = append(list, fmt.Sprintf("nconnect=%.0f", float64(mount.NConnect)))
	}
	list = append(list,
		fmt.Sprintf("rsize=%.0f", mount.ReadSize.Or(65536)), fmt.Sprintf("wsize=%.0f", mount.WriteSize.Or(65536)))
	if mount.Security != "" && mount.Security != "sys" {
		list = append(list, "sec="+mount.Security)
	}
	return strings.Join(list, ",")
}

// transportOption asks for the transport that the mount has: over IPv6 plain tcp would be the wrong one.
func transportOption(mount *fleet.Mount) string {
	switch mount.Transport {
	case "", "tcp":
		return "tcp"
	}
	return "proto=" + mount.Transport
}

// source is what the mount command calls the export.
func source(mount *fleet.Mount) string {
	server := mount.ServerName
	if server == "" {
		server = mount.Server
	}
	if address, err := netip.ParseAddr(server); err == nil && address.Is6() {
		server = "[" + server + "]"
	}
	return quote(server + ":" + mount.Export)
}

func pointsOf(mount *fleet.Mount) []string {
	if len(mount.MountPoints) == 0 {
		return []string{"MOUNTPOINT"}
	}
	points := make([]string, len(mount.MountPoints))
	for i, point := range mount.MountPoints {
		points[i] = quote(point)
	}
	return points
}

func mountPoints(endpoint *fleet.Endpoint) []string {
	if len(endpoint.Mounts) == 0 {
		return []string{"MOUNTPOINT"}
	}
	var points []string
	for _, mount := range endpoint.Mounts {
		points = append(points, pointsOf(mount)...)
	}
	return points
}

// kerberos tells whether a mount of the endpoint uses Kerberos.
func kerberos(endpoint *fleet.Endpoint) bool {
	for _, mount := range endpoint.Mounts {
		if strings.HasPrefix(mount.Security, "krb5") {
			return true
		}
	}
	return false
}
