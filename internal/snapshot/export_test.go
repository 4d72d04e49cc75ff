package snapshot

// Bound lowers what a snapshot may hold.
func (k *Keeper) Bound(files int, bytes int64) { k.most = room{files, bytes} }
