// Package deploy holds what installs nasight: the container image, the systemd units, and the files that docker-compose.yml
// mounts. Its tests check what those promise; nothing imports it.
package deploy
