package folder

const noWait = 0 // no path below a folder is a pipe here
