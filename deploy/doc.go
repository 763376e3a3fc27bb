// Package deploy holds what installs nasight: the container image and the systemd units. Its tests check what those
// promise; nothing imports it.
package deploy
