//! Tables of a flatbuffer: fields by their places, each perhaps absent. Nothing outside the bytes is looked at.

/// A table within a flatbuffer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Table<'a> {
    bytes: &'a [u8],
    /// where it begins
    at: usize,
    /// where its places of fields begin, and how many bytes they take
    places: (usize, usize),
}

fn chunk<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..)?.first_chunk::<N>().copied()
}

impl<'a> Table<'a> {
    /// The table that the flatbuffer holds.
    pub(super) fn root(bytes: &'a [u8]) -> Option<Self> {
        Self::at(bytes, u32::from_le_bytes(chunk(bytes, 0)?) as usize)
    }

    fn at(bytes: &'a [u8], at: usize) -> Option<Self> {
        let back = i64::from(i32::from_le_bytes(chunk(bytes, at)?));
        let places = usize::try_from(i64::try_from(at).ok()?.checked_sub(back)?).ok()?;
        let length = u16::from_le_bytes(chunk(bytes, places)?) as usize;
        Some(Self { bytes, at, places: (places, length) })
    }

    /// Where a field lies.
    fn field(&self, place: usize) -> Option<usize> {
        let entry = 4 + 2 * place;
        if entry + 2 > self.places.1 {
            return None;
        }
        match u16::from_le_bytes(chunk(self.bytes, self.places.0.checked_add(entry)?)?) {
            0 => None,
            offset => self.at.checked_add(offset as usize),
        }
    }

    /// Where a field leads.
    fn followed(&self, at: usize) -> Option<usize> {
        at.checked_add(u32::from_le_bytes(chunk(self.bytes, at)?) as usize)
    }

    pub(super) fn u8(&self, place: usize) -> Option<u8> {
        self.bytes.get(self.field(place)?).copied()
    }

    pub(super) fn i16(&self, place: usize) -> Option<i16> {
        Some(i16::from_le_bytes(chunk(self.bytes, self.field(place)?)?))
    }

    pub(super) fn i32(&self, place: usize) -> Option<i32> {
        Some(i32::from_le_bytes(chunk(self.bytes, self.field(place)?)?))
    }

    pub(super) fn i64(&self, place: usize) -> Option<i64> {
        Some(i64::from_le_bytes(chunk(self.bytes, self.field(place)?)?))
    }

    pub(super) fn table(&self, place: usize) -> Option<Self> {
        Self::at(self.bytes, self.followed(self.field(place)?)?)
    }

    /// A text that is UTF-8.
    pub(super) fn text(&self, place: usize) -> Option<&'a str> {
        let (start, length) = self.vector(place)?;
        std::str::from_utf8(self.bytes.get(start..)?.get(..length)?).ok()
    }

    /// Where the items of a vector begin, and how many there are.
    fn vector(&self, place: usize) -> Option<(usize, usize)> {
        let at = self.followed(self.field(place)?)?;
        Some((at.checked_add(4)?, u32::from_le_bytes(chunk(self.bytes, at)?) as usize))
    }

    /// A vector of structures of `size` bytes.
    pub(super) fn structs(&self, place: usize, size: usize) -> Option<Vec<&'a [u8]>> {
        let (start, count) = self.vector(place)?;
        let bytes = self.bytes.get(start..)?.get(..count.checked_mul(size)?)?;
        Some(bytes.chunks_exact(size).collect())
    }

    /// A vector of tables.
    pub(super) fn tables(&self, place: usize) -> Option<Vec<Self>> {
        let (start, count) = self.vector(place)?;
        let bytes = self.bytes.get(start..)?.get(..count.checked_mul(4)?)?;
        let each = bytes.chunks_exact(4).enumerate();
        each.map(|(i, _)| Self::at(self.bytes, self.followed(start + 4 * i)?)).collect()
    }
}
