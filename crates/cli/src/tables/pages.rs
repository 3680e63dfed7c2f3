//! Row groups of a Parquet file whose pages are unpacked here where they are packed by zstd: the crate `parquet` has that codec in
//! C only. Its other codecs are Rust.

use std::io::Read;
use std::sync::Arc;

use bytes::Bytes;
use parquet::basic::Compression;
use parquet::bloom_filter::Sbbf;
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::RowGroupMetaData;
use parquet::file::reader::RowGroupReader;
use parquet::file::serialized_reader::SerializedPageReader;
use parquet::record::reader::RowIter;
use parquet::schema::types::Type;

/// A row group, with the bytes of its file.
pub struct Group<'a> {
    /// as the crate reads it
    pub inner: Box<dyn RowGroupReader + 'a>,
    /// of the file
    pub bytes: Arc<Bytes>,
    /// bytes that a page may have unpacked
    pub most: u64,
}

impl RowGroupReader for Group<'_> {
    fn metadata(&self) -> &RowGroupMetaData {
        self.inner.metadata()
    }

    fn num_columns(&self) -> usize {
        self.inner.num_columns()
    }

    fn get_column_page_reader(&self, i: usize) -> Result<Box<dyn PageReader>> {
        let column = self.metadata().columns().get(i).ok_or_else(|| ParquetError::General("no such column".to_owned()))?;
        if !matches!(column.compression(), Compression::ZSTD(_)) {
            return self.inner.get_column_page_reader(i);
        }
        // as if nothing were packed: pages come as they are in the file
        let plain = column.clone().into_builder().set_compression(Compression::UNCOMPRESSED).build()?;
        let rows = usize::try_from(self.metadata().num_rows())?;
        let pages = SerializedPageReader::new(Arc::clone(&self.bytes), &plain, rows, None)?;
        Ok(Box::new(Zstd { pages, most: self.most }))
    }

    fn get_column_bloom_filter(&self, i: usize) -> Option<&Sbbf> {
        self.inner.get_column_bloom_filter(i)
    }

    fn get_row_iter(&self, projection: Option<Type>) -> Result<RowIter<'_>> {
        RowIter::from_row_group(projection, self)
    }
}

/// Pages that are packed by zstd.
struct Zstd {
    pages: SerializedPageReader<Bytes>,
    most: u64,
}

impl Zstd {
    fn unpacked(&self, packed: &[u8]) -> Result<Vec<u8>> {
        let failed = |why: &dyn std::fmt::Display| ParquetError::General(format!("a page is not packed by zstd: {why}"));
        let mut plain = Vec::new();
        if packed.is_empty() {
            return Ok(plain);
        }
        let stream = ruzstd::decoding::StreamingDecoder::new(packed).map_err(|error| failed(&error))?;
        stream.take(self.most + 1).read_to_end(&mut plain).map_err(|error| failed(&error))?;
        match plain.len() as u64 > self.most {
            true => Err(ParquetError::General(format!("a page unpacks to more than {} bytes", self.most))),
            false => Ok(plain),
        }
    }
}

impl PageReader for Zstd {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        let Some(mut page) = self.pages.get_next_page()? else { return Ok(None) };
        match &mut page {
            Page::DataPage { buf, .. } | Page::DictionaryPage { buf, .. } => *buf = self.unpacked(buf)?.into(),
            Page::DataPageV2 { buf, def_levels_byte_len, rep_levels_byte_len, is_compressed: true, .. } => {
                // levels are never packed
                let levels = *def_levels_byte_len as usize + *rep_levels_byte_len as usize;
                let (levels, packed) = buf
                    .split_at_checked(levels)
                    .ok_or_else(|| ParquetError::EOF("a page ends before its values".to_owned()))?;
                *buf = [levels, &self.unpacked(packed)?].concat().into();
            }
            Page::DataPageV2 { .. } => {}
        }
        Ok(Some(page))
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        self.pages.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<()> {
        self.pages.skip_next_page()
    }
}

impl Iterator for Zstd {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}
