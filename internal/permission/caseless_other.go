//go:build windows || darwin

package permission

const caseless = true
