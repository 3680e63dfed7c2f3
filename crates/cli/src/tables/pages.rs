//! Pages of a Parquet file on their way to the decoders of the crate `parquet`. Those that zstd packed are unpacked here: the crate
//! has that codec in C only, its other codecs are Rust. And what would stop the decoders is an error here.

use std::io::Read;
use std::sync::Arc;

use localcal::read::zstd::Frames;
use parquet::basic::{Compression, Encoding};
use parquet::bloom_filter::Sbbf;
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::RowGroupMetaData;
use parquet::file::reader::{ChunkReader, RowGroupReader};
use parquet::file::serialized_reader::SerializedPageReader;
use parquet::record::reader::RowIter;
use parquet::schema::types::Type;

/// A row group, with the file that it is of.
pub struct Group<'a, R> {
    /// as the crate reads it
    pub inner: Box<dyn RowGroupReader + 'a>,
    /// the file, or its bytes
    pub source: Arc<R>,
    /// bytes that a page may have unpacked
    pub most: u64,
}

impl<R: ChunkReader + 'static> RowGroupReader for Group<'_, R> {
    fn metadata(&self) -> &RowGroupMetaData {
        self.inner.metadata()
    }

    fn num_columns(&self) -> usize {
        self.inner.num_columns()
    }

    fn get_column_page_reader(&self, i: usize) -> Result<Box<dyn PageReader>> {
        let column =
            self.metadata().columns().get(i).ok_or_else(|| ParquetError::General("no such column".to_owned()))?;
        let zstd = matches!(column.compression(), Compression::ZSTD(_));
        let pages = match zstd {
            false => self.inner.get_column_page_reader(i)?,
            true => {
                // as if nothing were packed: pages come as they are in the file
                let plain = column.clone().into_builder().set_compression(Compression::UNCOMPRESSED).build()?;
                let rows = usize::try_from(self.metadata().num_rows())?;
                Box::new(SerializedPageReader::new(Arc::clone(&self.source), &plain, rows, None)?)
            }
        };
        Ok(Box::new(Checked { pages, zstd: zstd.then_some(self.most), dictionary: false }))
    }

    fn get_column_bloom_filter(&self, i: usize) -> Option<&Sbbf> {
        self.inner.get_column_bloom_filter(i)
    }

    fn get_row_iter(&self, projection: Option<Type>) -> Result<RowIter<'_>> {
        RowIter::from_row_group(projection, self)
    }
}

/// Pages of a column.
struct Checked {
    pages: Box<dyn PageReader>,
    /// packed by zstd: bytes that a page may have unpacked
    zstd: Option<u64>,
    /// a dictionary came
    dictionary: bool,
}

impl Checked {
    fn unpacked(packed: &[u8], most: u64) -> Result<Vec<u8>> {
        let mut plain = Vec::new();
        Frames::new(packed)
            .take(most.saturating_add(1))
            .read_to_end(&mut plain)
            .map_err(|why| ParquetError::General(format!("a page is not packed by zstd: {why}")))?;
        match plain.len() as u64 > most {
            true => Err(ParquetError::General(format!("a page unpacks to more than {most} bytes"))),
            false => Ok(plain),
        }
    }
}

impl PageReader for Checked {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        let Some(mut page) = self.pages.get_next_page()? else { return Ok(None) };
        match page {
            Page::DictionaryPage { .. } => self.dictionary = true,
            Page::DataPage { encoding, .. } | Page::DataPageV2 { encoding, .. } => {
                let coded = matches!(encoding, Encoding::RLE_DICTIONARY | Encoding::PLAIN_DICTIONARY);
                if coded && !self.dictionary {
                    return Err(ParquetError::General("a page needs a dictionary that is not there".to_owned()));
                }
            }
        }
        let Some(most) = self.zstd else { return Ok(Some(page)) };
        match &mut page {
            Page::DataPage { buf, .. } | Page::DictionaryPage { buf, .. } => *buf = Self::unpacked(buf, most)?.into(),
            Page::DataPageV2 { buf, def_levels_byte_len, rep_levels_byte_len, is_compressed: true, .. } => {
                // levels are never packed
                let levels = *def_levels_byte_len as usize + *rep_levels_byte_len as usize;
                let (levels, packed) = buf
                    .split_at_checked(levels)
                    .ok_or_else(|| ParquetError::EOF("a page ends before its values".to_owned()))?;
                *buf = [levels, &Self::unpacked(packed, most)?].concat().into();
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

impl Iterator for Checked {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}
